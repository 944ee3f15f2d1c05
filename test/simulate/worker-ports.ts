/** The ports of one worker: the site's ports, with each call through the worker's boundary. */

import type { Fetch } from '../../adapters/aws/identity/index.ts';
import type { Switch } from '../../adapters/aws/timers/awake.ts';
import { createBuckets, paced } from '../../adapters/cloud/buckets.ts';
import type { Cloud } from '../../kinds/ports/cloud/index.ts';
import type { Marker } from '../../kinds/ports/installation.ts';
import type { Transport } from '../../kinds/ports/transport.ts';
import type { Switches } from '../../lambdas/runtime/switches.ts';
import type { ObjectStorage } from '../../machinery/object-storage.ts';
import type { Keys, Queue, Table, Workflows } from '../../machinery/ports.ts';
import type { Life } from './boundary.ts';

export const tableOf = ({ pass }: Life, name: string, inner: Table): Table => {
  // Precomputed: these are most calls, and memoized lookups are faster with identical strings.
  const at = { get: `${name}.get`, query: `${name}.query`, write: `${name}.write`, transact: `${name}.transact` };
  return {
    get: (key, options) => pass(at.get, () => inner.get(key, options)),
    query: (query) => pass(at.query, () => inner.query(query)),
    write: (write) => pass(at.write, () => inner.write(write)),
    transact: (token, writes) => pass(at.transact, () => inner.transact(token, writes)),
  };
};

export const queueOf = ({ pass }: Life, inner: Queue): Queue => ({
  send: (message, delay) => pass('queue.send', () => inner.send(message, delay)),
});

export const keysOf = ({ pass }: Life, inner: Keys): Keys => ({
  dataKey: (context) => pass('keys.dataKey', () => inner.dataKey(context)),
  unwrap: (wrapped, context) => pass('keys.unwrap', () => inner.unwrap(wrapped, context)),
});

/** A worker assumes that five workers share the account's tokens. */
const share = 1 / 5;
export const cloudOf = ({ pass, clock }: Life, inner: Cloud): Cloud =>
  paced(
    { call: (region, action, input) => pass(`cloud.${action}`, () => inner.call(region, action, input)) },
    createBuckets({ clock, share }),
  );

export const fetchOf =
  ({ pass }: Life, inner: Fetch): Fetch =>
  (url, init) =>
    pass('identity.fetch', () => inner(url, init));

export const markerOf = ({ pass }: Life, inner: Marker): Marker => ({
  read: () => pass('marker.read', inner.read),
  furthest: () => pass('marker.furthest', inner.furthest),
  write: (mark) => pass('marker.write', () => inner.write(mark)),
});

export const transportOf = ({ pass }: Life, inner: Transport): Transport => ({
  fetch: (connection, request) => pass(`workload.${request.method}`, () => inner.fetch(connection, request)),
  etcd: (etcd, path, body) =>
    pass(`workload.etcd ${path.slice(path.lastIndexOf('/') + 1)}`, () => inner.etcd(etcd, path, body)),
  etcdStream: (etcd, path, body) => pass('workload.etcdStream', () => inner.etcdStream(etcd, path, body)),
  certificate: (connection, node) => pass('workload.certificate', () => inner.certificate(connection, node)),
  fetchOn: (connection, node, request) =>
    pass(`workload.${request.method} on a node`, () => inner.fetchOn(connection, node, request)),
});

const switchOf = ({ pass }: Life, name: string, inner: Switch): Switch => ({
  enable: () => pass(`${name}.enable`, inner.enable),
  disable: () => pass(`${name}.disable`, inner.disable),
  keep: (enabled) => pass(`${name}.keep`, () => inner.keep(enabled)),
});
export const switchesOf = (life: Life, { mappings, schedules, slow }: Switches): Switches => ({
  mappings: switchOf(life, 'mappings', mappings),
  schedules: switchOf(life, 'schedules', schedules),
  slow: switchOf(life, 'slow', slow),
});

export const workflowsOf = ({ pass }: Life, inner: Workflows): Workflows => ({
  start: (execution) => pass('workflows.start', () => inner.start(execution)),
  describe: (execution) => pass('workflows.describe', () => inner.describe(execution)),
  stop: (execution) => pass('workflows.stop', () => inner.stop(execution)),
  succeed: (token, output) => pass('workflows.succeed', () => inner.succeed(token, output)),
  fail: (token, error, cause) => pass('workflows.fail', () => inner.fail(token, error, cause)),
});

export const filesOf = ({ pass }: Life, inner: ObjectStorage): ObjectStorage => ({
  put: (key, content) => pass('files.put', () => inner.put(key, content)),
  get: (key) => pass('files.get', () => inner.get(key)),
  delete: (key) => pass('files.delete', () => inner.delete(key)),
  deleted: (prefix) => pass('files.deleted', () => inner.deleted(prefix)),
  getDeleted: (key) => pass('files.getDeleted', () => inner.getDeleted(key)),
});
