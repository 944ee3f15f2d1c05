/** pods/portforward: authorization and target. The transport makes the connection. */
import { badRequest, notFound } from '../../../machinery/api/errors.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Subresource } from '../../../machinery/server/registry.ts';
import type { PodObject } from '../objects.ts';

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 101 };

export const portForwardOf = (): Subresource => ({
  kind: 'PodPortForwardOptions',
  verbs: ['create', 'get'],
  handle: async (call, key) => {
    const pod = (await call.server.store.get('pods', key)) as PodObject | undefined;
    if (!pod) throw notFound({ group: '', plural: 'pods' }, key.name);
    if (!pod.spec?.nodeName) throw badRequest(`pod ${key.name} does not have a host assigned`);
    if (call.request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
      throw badRequest('Upgrade request required');
    return success as unknown as KubeObject;
  },
});
