/** The objects that a list, a watch or a deletion of a collection selects. */
import { ApiError, badRequest, invalid } from '../api/errors.ts';
import { type Labels, parseLabelSelector } from '../api/labels.ts';
import type { KubeObject } from '../api/object.ts';
import type { Call } from './call.ts';
import { type FieldSelector, parseFieldSelector } from './fields.ts';

export interface Selection {
  fields: FieldSelector;
  labels: (labels: Labels | undefined) => boolean;
  /** No filter is set. */
  everything: boolean;
  matches: (object: KubeObject) => boolean;
}

/** The selectors of the query. */
export const selectionOf = ({ query, resource, version }: Call): Selection => {
  const labelText = query.get('labelSelector') ?? '';
  const labels = labelText ? parseLabelSelector(labelText) : () => true;
  const fields = parseFieldSelector(resource.kind, version, query.get('fieldSelector') ?? '');
  return {
    labels,
    fields,
    everything: labelText === '' && fields.empty,
    matches: (object) => labels(object.metadata.labels) && fields.matches(object),
  };
};

const invalidVersion = (text: string): ApiError =>
  badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  );

/** A resourceVersion of the query: undefined when unset, 0 for "any". */
export const versionOf = (query: URLSearchParams): number | undefined => {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalidVersion(text);
  return Number(text);
};

/** The client has seen a newer state than this server. */
export const tooLargeVersion = (asked: number, current: number): ApiError =>
  new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

const forbidden = (field: string, detail: string) => ({ reason: 'FieldValueForbidden', field, detail }) as const;

const refuse = (...errors: Parameters<typeof invalid>[2]): never => {
  throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
};

const unsupportedMatch = (match: string, supported: string) =>
  ({
    reason: 'FieldValueNotSupported',
    field: 'resourceVersionMatch',
    value: match,
    detail: `supported values: ${supported}`,
  }) as const;

const notOlderThan = 'NotOlderThan';

/** 422 for contradicting parameters of a watch. */
export const checkWatchOptions = (query: URLSearchParams): void => {
  const match = query.get('resourceVersionMatch') ?? '';
  const isInitial = query.has('sendInitialEvents');
  const field = 'resourceVersionMatch';
  const errors = [
    ...(isInitial && match !== notOlderThan
      ? [forbidden(field, `sendInitialEvents requires setting resourceVersionMatch to ${notOlderThan}`)]
      : []),
    ...(match !== '' && !isInitial
      ? [forbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')]
      : []),
    ...(match !== '' && match !== notOlderThan ? [unsupportedMatch(match, `"${notOlderThan}", ""`)] : []),
    ...(match !== '' && query.get('continue')
      ? [forbidden(field, 'resourceVersionMatch is forbidden when continue is provided')]
      : []),
  ];
  if (errors.length > 0) refuse(...errors);
};

/** 422 for contradicting parameters of a list. */
export const checkListOptions = (query: URLSearchParams): void => {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  if (query.has('sendInitialEvents')) refuse(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  if (match === '') return;
  if (query.get('continue'))
    refuse(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  if (version === '')
    refuse(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if (match !== 'Exact' && match !== notOlderThan) refuse(unsupportedMatch(match, `"Exact", "${notOlderThan}", ""`));
  if (match === 'Exact' && version === '0')
    refuse(forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
};

/** A whole number in the query, or undefined; 400 otherwise. */
export const numberOf = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
};

/**
 * `true`, `1` and the bare name; as in Kubernetes, any value except the false ones counts as true.
 */
export const flagOf = (query: URLSearchParams, name: string): boolean => {
  const value = query.get(name);
  return value !== null && !['false', '0'].includes(value.toLowerCase());
};
