import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  boolean,
  type Infer,
  int32,
  required as mustHave,
  object,
  string,
} from '../../../machinery/api/schema.ts';

const texts = (description: string) => atomicList(description, string(''));
const named = (description: string) => object(description, { name: mustHave(string('The name.')) });

const subject = object('Whose requests.', {
  kind: mustHave(string('Group, ServiceAccount or User.')),
  group: named('A group; * matches all users.'),
  user: named('A user; * matches all users.'),
  serviceAccount: object('A ServiceAccount.', {
    name: mustHave(string('The name; * matches all of the namespace.')),
    namespace: mustHave(string('The namespace.')),
  }),
});

const resourceRule = object('Requests for resources.', {
  verbs: mustHave(texts('The verbs; * matches all.')),
  apiGroups: mustHave(texts('The API groups; * matches all.')),
  resources: mustHave(texts('The resources; * matches all.')),
  clusterScope: boolean('Whether requests that name no namespace match.'),
  namespaces: texts('The namespaces; * matches all.'),
});

const nonResourceRule = object('Requests for other paths.', {
  verbs: mustHave(texts('The verbs; * matches all.')),
  nonResourceURLs: mustHave(texts('The paths; a * at the end matches any.')),
});

const rule = object('Requests of some users.', {
  subjects: mustHave(atomicList('Whose requests.', subject)),
  resourceRules: atomicList('Requests for resources.', resourceRule),
  nonResourceRules: atomicList('Requests for other paths.', nonResourceRule),
});

export const spec = object('Which requests belong to the flow, and where they queue.', {
  priorityLevelConfiguration: mustHave(named('The priority level of the requests.')),
  matchingPrecedence: int32('Where several schemas match, the lowest one counts.'),
  distinguisherMethod: object('What makes a flow of its own.', { type: mustHave(string('ByNamespace or ByUser.')) }),
  rules: atomicList('A request that fits any of the rules matches.', rule),
});

export type FlowSchema = KubeObject<Infer<typeof spec>>;
export type Subject = Infer<typeof subject>;
export type ResourceRule = Infer<typeof resourceRule>;
export type NonResourceRule = Infer<typeof nonResourceRule>;
export type Rule = Infer<typeof rule>;
