/** metav1.DeleteOptions, from the query and the body. */
import { badRequest } from '../api/errors.ts';
import type { FieldError } from '../api/kind.ts';
import type { DeleteOptions } from '../api/lifecycle.ts';
import type { JsonObject } from '../api/object.ts';
import { readOptions } from './body.ts';
import { isObject } from './json.ts';
import { dryRunOf, refuseOptions } from './options.ts';
import { numberOf } from './selection.ts';

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

/** Reads the options of a DELETE; a body takes precedence over the query, as on any API server. */
export const deletionOf = async (request: Request, query: URLSearchParams): Promise<Deletion> => {
  const body = await readOptions(request);
  if (body !== undefined && !isObject(body)) throw badRequest('DeleteOptions must be an object');
  if (body?.kind !== undefined && body.kind !== 'DeleteOptions')
    throw badRequest(`decoded object cannot be converted to DeleteOptions: ${JSON.stringify(body.kind)}`);
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions, dryRun } = body ?? fromQuery(query);
  const { uid, resourceVersion } = (isObject(preconditions) ? preconditions : {}) as Record<string, string | undefined>;
  const policy = policyOf(propagationPolicy ?? undefined, orphanDependents ?? undefined);
  return {
    dryRun: dryRunOf('DeleteOptions', query, Array.isArray(dryRun) ? dryRun.map(String) : []),
    ...(policy && { propagationPolicy: policy }),
    ...(typeof gracePeriodSeconds === 'number' && { gracePeriodSeconds }),
    ...((uid || resourceVersion) && {
      preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
    }),
  };
};
