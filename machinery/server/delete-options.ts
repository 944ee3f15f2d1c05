/** metav1.DeleteOptions from the query and the body. */
import { badRequest } from '../api/errors.ts';
import type { FieldError } from '../api/kind.ts';
import type { DeleteOptions } from '../api/lifecycle.ts';
import { isObject, type JsonObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { readOptions } from './body.ts';
import { dryRunOf, refuseOptions } from './options.ts';
import { numberOf } from './selection.ts';
import { typeMismatch } from './structural/types.ts';

export const deleteOptionsSchema: JsonSchema = {
  type: 'object',
  description: 'How an object is to be deleted.',
  properties: {
    apiVersion: { type: 'string', description: 'Group and version of this representation.' },
    kind: { type: 'string', description: 'DeleteOptions.' },
    dryRun: { type: 'array', items: { type: 'string' }, description: 'All = nothing is stored.' },
    gracePeriodSeconds: { type: 'integer', format: 'int64', description: 'Seconds the object is given to go.' },
    orphanDependents: { type: 'boolean', description: 'Older form of propagationPolicy.' },
    propagationPolicy: { type: 'string', description: 'Background, Foreground or Orphan.' },
    preconditions: {
      type: 'object',
      description: 'What must hold for the object to be deleted.',
      properties: {
        uid: { type: 'string', description: 'Identity it must have.' },
        resourceVersion: { type: 'string', description: 'State it must be in.' },
      },
    },
  },
};

export interface Deletion extends DeleteOptions {
  dryRun: boolean;
  gracePeriodSeconds?: number;
}

type Policy = DeleteOptions['propagationPolicy'];
const policies: (string | undefined)[] = ['Background', 'Foreground', 'Orphan'] satisfies Policy[];

const policyOf = (policy: unknown, orphan: unknown): Policy => {
  const errors: FieldError[] = [];
  if (policy !== undefined && policy !== '' && orphan !== undefined)
    errors.push({
      reason: 'FieldValueInvalid',
      field: 'propagationPolicy',
      value: policy,
      detail: 'orphanDependents and deletionPropagation cannot be both set',
    });
  else if (policy !== undefined && policy !== '' && !policies.includes(policy as string))
    errors.push({
      reason: 'FieldValueNotSupported',
      field: 'propagationPolicy',
      value: policy,
      detail: 'supported values: "Foreground", "Background", "Orphan", "nil"',
    });
  refuseOptions('DeleteOptions', errors);
  if (policy) return policy as Policy;
  return orphan === undefined ? undefined : orphan ? 'Orphan' : 'Background';
};

const fromQuery = (query: URLSearchParams): JsonObject => {
  const grace = numberOf(query, 'gracePeriodSeconds');
  const orphan = query.get('orphanDependents');
  return {
    ...(grace !== undefined && { gracePeriodSeconds: grace }),
    ...(query.get('propagationPolicy') && { propagationPolicy: query.get('propagationPolicy')! }),
    ...(orphan && { orphanDependents: orphan === 'true' }),
  };
};

/**
 * Reads the options of a DELETE; the body takes precedence over the query, as on any API server.
 */
export const deletionOf = async (request: Request, query: URLSearchParams): Promise<Deletion> => {
  const body = await readOptions(request);
  if (body !== undefined && !isObject(body)) throw badRequest('DeleteOptions must be an object');
  if (body?.kind && body.kind !== 'DeleteOptions')
    throw badRequest(`decoded object cannot be converted to DeleteOptions: ${JSON.stringify(body.kind)}`);
  // Refuse options that do not parse: ignoring them could delete an object that the client wanted
  // to keep.
  const mismatch = typeMismatch(body, deleteOptionsSchema, '', 'DeleteOptions');
  if (mismatch) throw badRequest(mismatch);
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions, dryRun } = body ?? fromQuery(query);
  const { uid, resourceVersion } = (preconditions ?? {}) as Record<string, string | null>;
  const policy = policyOf(propagationPolicy ?? undefined, orphanDependents ?? undefined);
  return {
    dryRun: dryRunOf('DeleteOptions', query, (dryRun ?? []) as string[]),
    ...(policy && { propagationPolicy: policy }),
    ...(typeof gracePeriodSeconds === 'number' && { gracePeriodSeconds }),
    preconditions: { ...(uid != null && { uid }), ...(resourceVersion != null && { resourceVersion }) },
  };
};
