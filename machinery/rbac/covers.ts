/** Escalation: no user grants what the user does not have. */
import type { User } from '../api/kind.ts';
import type { PolicyRule } from '../api/rbac.ts';
import { joined } from './resolution-errors.ts';
import { coversPath } from './rule.ts';

/** Rules with at most one group, resource, name or path, and one verb each. */
export const breakDown = (rules: readonly PolicyRule[]): PolicyRule[] =>
  rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs = [] }) => {
    const named: Pick<PolicyRule, 'resourceNames'>[] =
      resourceNames.length > 0 ? resourceNames.map((name) => ({ resourceNames: [name] })) : [{}];
    const ofResources = apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          named.map((one) => ({ apiGroups: [group], resources: [resource], verbs: [verb], ...one })),
        ),
      ),
    );
    const ofPaths = nonResourceURLs.flatMap((path) =>
      verbs.map((verb) => ({ nonResourceURLs: [path], verbs: [verb] })),
    );
    return [...ofResources, ...ofPaths];
  });

const hasAll = (set: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  wanted.every((one) => set.includes(one));
const hasAllOrStar = (set: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  set.includes('*') || hasAll(set, wanted);

const coversResource = (set: readonly string[], resource: string): boolean => {
  if (set.includes('*') || set.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && set.includes(`*${resource.slice(slash)}`);
};

/** Whether one rule covers an atom of `breakDown`. */
const covers = (rule: PolicyRule, atom: PolicyRule): boolean =>
  hasAllOrStar(rule.verbs, atom.verbs) &&
  hasAllOrStar(rule.apiGroups, atom.apiGroups) &&
  (atom.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
  (!rule.resourceNames?.length || (!!atom.resourceNames?.length && hasAll(rule.resourceNames, atom.resourceNames))) &&
  (atom.nonResourceURLs ?? []).every((path) => rule.nonResourceURLs?.some((pattern) => coversPath(pattern, path)));

/** The atoms of the wanted rules that no single one of the rules covers. */
export const uncovered = (rules: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] =>
  breakDown(wanted).filter((atom) => !rules.some((rule) => covers(rule, atom)));

/** Joins the verbs of atoms that are equal otherwise; paths stay apart. */
const compacted = (atoms: readonly PolicyRule[]): PolicyRule[] => {
  const groups = Map.groupBy(atoms, ({ verbs, ...rest }) =>
    JSON.stringify(rest.nonResourceURLs ? { verbs, ...rest } : rest),
  );
  return [...groups.values()].flatMap((same) =>
    same[0]!.nonResourceURLs ? same : [{ ...same[0]!, verbs: same.flatMap(({ verbs = [] }) => verbs) }],
  );
};

/** As Go prints a list of strings with %q. */
const quotedList = (list: readonly string[]): string => `[${list.map((one) => JSON.stringify(one)).join(' ')}]`;

const describe = ({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string => {
  const parts = {
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  };
  const given = Object.entries(parts).flatMap(([name, list]) => (list?.length ? [`${name}:${quotedList(list)}`] : []));
  return `{${given.join(', ')}}`;
};

const inByteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Why a user with these rules may not grant the wanted ones; undefined if the user has them all. */
export const escalationOf = (
  { username, groups }: User,
  held: { rules: readonly PolicyRule[]; errors: readonly string[] },
  wanted: readonly PolicyRule[],
): string | undefined => {
  const missing = uncovered(held.rules, wanted);
  if (missing.length === 0) return undefined;
  const described = [...new Set(compacted(missing).map(describe))].sort(inByteOrder);
  const who = `user ${JSON.stringify(username)} (groups=${quotedList(groups)})`;
  const unresolved = held.errors.length > 0 ? `; resolution errors: [${joined(held.errors)}]` : '';
  return `${who} is attempting to grant RBAC permissions not currently held:\n${described.join('\n')}${unresolved}`;
};
