/**
 * pods/log, pods/exec and pods/attach: authorized as in Kubernetes, then refused, because simulated
 * machines run no containers.
 */
import { ApiError, badRequest, notFound } from '../../../machinery/api/errors.ts';
import type { Subresource } from '../../../machinery/server/registry.ts';
import type { PodObject } from '../objects.ts';

const notImplemented = (what: string, pod: string): ApiError =>
  new ApiError(
    501,
    'NotImplemented',
    `pod ${pod} has no ${what}: the machines of this cluster are simulated and run no containers`,
  );

/** `what` the client asks for, such as `logs`. */
export const containersOf = (kind: string, what: string): Subresource => ({
  kind,
  verbs: what === 'logs' ? ['get'] : ['create', 'get'],
  handle: async (call, key) => {
    const pod = (await call.server.store.get('pods', key)) as PodObject | undefined;
    if (!pod) throw notFound({ group: '', plural: 'pods' }, key.name);
    if (!pod.spec?.nodeName) throw badRequest(`pod ${key.name} does not have a host assigned`);
    throw notImplemented(what, key.name);
  },
});
