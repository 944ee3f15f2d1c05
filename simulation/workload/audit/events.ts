/** The audit events of a cluster, as far as a policy of Capstan could ask for them. */

import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { conditionOf, type NodeObject, type PodObject } from '../objects.ts';

/** An Event of audit.k8s.io/v1 at level Metadata. */
export interface AuditEvent {
  level: 'Metadata';
  stage: 'ResponseComplete';
  verb: string;
  requestURI: string;
  user: { username: string };
  objectRef?: { apiGroup?: string; resource: string; subresource?: string; namespace?: string; name?: string };
  responseStatus: { code: number };
}

const nodeController = 'system:serviceaccount:kube-system:node-controller';

const patched = (
  username: string,
  resource: string,
  subresource: string | undefined,
  object: KubeObject,
): AuditEvent => {
  const { namespace, name } = object.metadata;
  const path = ['/api/v1', ...(namespace ? ['namespaces', namespace] : []), resource, name, subresource];
  return {
    level: 'Metadata',
    stage: 'ResponseComplete',
    verb: 'patch',
    requestURI: path.filter(Boolean).join('/'),
    user: { username },
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
    : [patched(nodeController, 'nodes', 'status', after)]),
  ...(equal(before.spec?.taints ?? [], after.spec?.taints ?? [])
    ? []
    : [patched(nodeController, 'nodes', undefined, after)]),
];

const unschedulable = (pod: PodObject): string | undefined => {
  const condition = conditionOf({ status: { conditions: pod.status?.conditions ?? [] } }, 'PodScheduled');
  return condition?.status === 'False' ? condition.message : undefined;
};

/** The requests by which controllers inside the cluster would have made a change. */
export const eventsOfChange = (type: string, before: KubeObject, after: KubeObject): AuditEvent[] => {
  if (type === 'nodes') return eventsOfNode(before as NodeObject, after as NodeObject);
  const isMarked = type === 'pods' && unschedulable(after as PodObject) !== undefined;
  if (!isMarked || unschedulable(before as PodObject) === unschedulable(after as PodObject)) return [];
  return [patched('system:kube-scheduler', 'pods', 'status', after)];
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
    user: { username },
    ...(resource !== undefined && {
      objectRef: { resource, ...(subresource && { subresource }), ...(namespace && { namespace }), name: name! },
    }),
    responseStatus: { code },
  };
};
