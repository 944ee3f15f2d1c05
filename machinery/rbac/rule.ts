/** Whether one rule allows a request. */

import type { PolicyRule } from '../api/rbac.ts';
import type { Attributes } from '../server/call.ts';

const includes = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some((item) => item === '*' || item === value) ?? false;

/** Whether a pattern, whose last characters may be `*`, covers a path. */
export const coversPath = (pattern: string, path: string): boolean =>
  pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));

// `x` covers no subresource; `x/sub` and `*/sub` do, and `*` covers everything.
const includesResource = (list: readonly string[] | undefined, resource: string, subresource: string): boolean =>
  includes(list, subresource ? `${resource}/${subresource}` : resource) ||
  (subresource !== '' && (list?.includes(`*/${subresource}`) ?? false));

/**
 * A rule with resourceNames allows no request without a name. A request to list or watch has one if
 * it selects one object by its field metadata.name.
 */
export const allows = (rule: PolicyRule, attributes: Attributes): boolean => {
  const { verb, group = '', resource, subresource = '', name = '', path = '' } = attributes;
  if (!includes(rule.verbs, verb)) return false;
  if (resource === undefined) return rule.nonResourceURLs?.some((pattern) => coversPath(pattern, path)) ?? false;
  return (
    includes(rule.apiGroups, group) &&
    includesResource(rule.resources, resource, subresource) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(name))
  );
};
