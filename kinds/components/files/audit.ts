/** The audit policy of an API server. Pure. */
import { anything, boolean, list, object, text } from '../shape.ts';
import { type Fields, type FileType, isSubdomain, listOf, textOf, textsOf } from './document.ts';

const levels = ['None', 'Metadata', 'Request', 'RequestResponse'];
const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];

const faultsOfResources = (at: string, { group, resources, resourceNames }: Fields): string[] => [
  ...(textOf(group) !== '' && !isSubdomain(textOf(group))
    ? [`${at}.group: Invalid value: "${group}": a lowercase RFC 1123 subdomain must not contain "/" or capitals`]
    : []),
  ...(textsOf(resourceNames).length > 0 && textsOf(resources).length === 0
    ? [`${at}.resourceNames: Invalid value: using resourceNames requires at least one resource`]
    : []),
];

const faultsOfUrl = (at: string, url: string): string[] => {
  if (url === '*') return [];
  return [
    ...(url.startsWith('/')
      ? []
      : [`${at}: Invalid value: "${url}": non-resource URL rules must begin with a '/' character`]),
    ...(url.slice(0, -1).includes('*')
      ? [`${at}: Invalid value: "${url}": non-resource URL wildcards '*' must be the final character of the rule`]
      : []),
  ];
};

const faultsOfStages = (at: string, omitted: unknown): string[] =>
  textsOf(omitted)
    .filter((stage) => !stages.includes(stage))
    .map((stage) => `${at}: Invalid value: "${stage}": allowed stages are ${stages.join(',')}`);

const faultsOfRule = (
  { level, resources, nonResourceURLs, namespaces, omitStages }: Fields,
  index: number,
): string[] => {
  const at = `rules[${index}]`;
  const [urls, groups] = [textsOf(nonResourceURLs), listOf(resources)];
  const isLevel = levels.includes(textOf(level));
  return [
    ...(isLevel
      ? []
      : [`${at}.level: Unsupported value: "${level ?? ''}": supported values: "${levels.join('", "')}"`]),
    ...urls.flatMap((url) => faultsOfUrl(`${at}.nonResourceURLs`, url)),
    ...groups.flatMap((group) => faultsOfResources(`${at}.resources`, group)),
    ...(urls.length > 0 && (groups.length > 0 || textsOf(namespaces).length > 0)
      ? [`${at}.nonResourceURLs: Invalid value: rules cannot apply to both regular resources and non-resource URLs`]
      : []),
    ...faultsOfStages(`${at}.omitStages`, omitStages),
  ];
};

export const auditPolicy: FileType = {
  kind: 'Policy',
  versions: { 'audit.k8s.io/v1': 0 },
  shape: object({
    apiVersion: text,
    kind: text,
    metadata: anything,
    omitStages: list(text),
    omitManagedFields: boolean,
    rules: list(
      object({
        level: text,
        users: list(text),
        userGroups: list(text),
        verbs: list(text),
        resources: list(object({ group: text, resources: list(text), resourceNames: list(text) })),
        namespaces: list(text),
        nonResourceURLs: list(text),
        omitStages: list(text),
        omitManagedFields: boolean,
      }),
    ),
  }),
  // Unknown fields are only logged.
  strictSince: Number.POSITIVE_INFINITY,
  validate: ({ rules, omitStages }) => {
    const faults = [...faultsOfStages('omitStages', omitStages), ...listOf(rules).flatMap(faultsOfRule)];
    return faults.length === 0 && listOf(rules).length === 0 ? ['loaded illegal policy with 0 rules'] : faults;
  },
};
