/** Parses resource paths. */
import { badRequest } from '../api/errors.ts';

export interface ResourcePath {
  group: string;
  version: string;
  /** Empty for cluster-scoped resources and for all namespaces. */
  namespace: string;
  plural: string;
  name: string;
  subresource: string;
}

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest(`invalid URL escape in ${JSON.stringify(part)}`);
  }
};

/** The segments of a path, without the empty ones of doubled or trailing slashes. */
export const partsOf = (pathname: string): string[] =>
  pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decode);

/** Segments after a Namespace's name that are no resources inside it. */
const ofNamespace = new Set(['status', 'finalize']);

/** `/api/v1/…` or `/apis/group/version/…`; undefined when the path names no resource. */
export const parseResourcePath = (parts: string[]): ResourcePath | undefined => {
  const legacy = parts[0] === 'api';
  if (!legacy && parts[0] !== 'apis') return undefined;
  const [group, version, rest] = legacy ? ['', parts[1], parts.slice(2)] : [parts[1], parts[2], parts.slice(3)];
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  const inside = rest[0] === 'namespaces' && rest.length > 2 && !ofNamespace.has(rest[2]!);
  const namespace = inside ? rest[1]! : '';
  const [plural, name = '', ...more] = inside ? rest.slice(2) : rest;
  return { group, version, namespace, plural: plural!, name, subresource: more.join('/') };
};
