/** The audit events of a cluster, as far as a policy of Capstan could ask for them. */

import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { conditionOf, controllerOf, type NodeObject, type PodObject } from '../objects.ts';

/** An Event of audit.k8s.io/v1 at level Metadata. */
export interface AuditEvent {
  level: 'Metadata';
  stage: 'ResponseComplete';
  verb: string;
  requestURI: string;
  user: { username: string; groups: string[] };
  objectRef?: { apiGroup?: string; resource: string; subresource?: string; namespace?: string; name?: string };
  responseStatus: { code: number };
}

const nodeController = 'system:serviceaccount:kube-system:node-controller';

const userOf = (username: string): AuditEvent['user'] => ({
  username,
  groups: [...(username.startsWith('system:node:') ? ['system:nodes'] : []), 'system:authenticated'],
});

const jobController = 'system:serviceaccount:kube-system:job-controller';

const written = (
  verb: 'patch' | 'delete',
  username: string,
  resource: string,
  subresource: string | undefined,
  { metadata: { namespace, name } }: KubeObject,
): AuditEvent => {
  const path = ['/api/v1', ...(namespace ? ['namespaces', namespace] : []), resource, name, subresource];
  return {
    level: 'Metadata',
    stage: 'ResponseComplete',
    verb,
    requestURI: path.filter(Boolean).join('/'),
    user: userOf(username),
    objectRef: { resource, ...(subresource && { subresource }), ...(namespace && { namespace }), name },
    responseStatus: { code: 200 },
  };
};

const lostConditions = ({ status }: NodeObject): string[] =>
  (status?.conditions ?? []).flatMap((one) => (one.status === 'Unknown' ? [one.type] : []));

const eventsOfNode = (before: NodeObject, after: NodeObject): AuditEvent[] => [
  // Other conditions are written by kubelets.
  ...(equal(lostConditions(before), lostConditions(after)) || lostConditions(after).length === 0
    ? []
    : [written('patch', nodeController, 'nodes', 'status', after)]),
  ...(equal(before.spec?.taints ?? [], after.spec?.taints ?? [])
    ? []
    : [written('patch', nodeController, 'nodes', undefined, after)]),
];

const unschedulable = (pod: PodObject): string | undefined => {
  const condition = conditionOf({ status: { conditions: pod.status?.conditions ?? [] } }, 'PodScheduled');
  return condition?.status === 'False' ? condition.message : undefined;
};

const hasEnded = ({ status }: PodObject): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

const eventsOfPod = (before: PodObject, after: PodObject): AuditEvent[] => [
  ...(unschedulable(after) !== undefined && unschedulable(before) !== unschedulable(after)
    ? [written('patch', 'system:kube-scheduler', 'pods', 'status', after)]
    : []),
  ...(hasEnded(after) && !hasEnded(before) && controllerOf(after)?.kind === 'Job'
    ? [written('patch', jobController, 'pods', undefined, after)]
    : []),
];

/** The requests by which controllers inside the cluster would have made a change. */
export const eventsOfChange = (type: string, before: KubeObject, after: KubeObject): AuditEvent[] => {
  if (type === 'nodes') return eventsOfNode(before as NodeObject, after as NodeObject);
  return type === 'pods' ? eventsOfPod(before as PodObject, after as PodObject) : [];
};

/** The request by which a kubelet removes a Pod that has ended. */
export const eventsOfRemoval = (type: string, object: KubeObject): AuditEvent[] => {
  const node = type === 'pods' ? (object as PodObject).spec?.nodeName : undefined;
  return node === undefined ? [] : [written('delete', `system:node:${node}`, 'pods', undefined, object)];
};

const verbs: Record<string, string> = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** The event of a client's request for one object of the core group, or for a path without a resource. */
export const eventOfRequest = (request: Request, username: string, code: number): AuditEvent => {
  const { pathname, search } = new URL(request.url);
  const [, namespace, resource, name, subresource] =
    /^\/api\/v1\/(?:namespaces\/([^/]+)\/)?([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
  return {
    level: 'Metadata',
    stage: 'ResponseComplete',
    verb: verbs[request.method] ?? request.method.toLowerCase(),
    requestURI: pathname + search,
    user: userOf(username),
    ...(resource !== undefined && {
      objectRef: { resource, ...(subresource && { subresource }), ...(namespace && { namespace }), name: name! },
    }),
    responseStatus: { code },
  };
};
