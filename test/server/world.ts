/** An in-process server over a store in memory, with the built-in kinds of Kubernetes and one custom kind. */
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { configMap } from '../../kinds/kubernetes/config-map/index.ts';
import { coreEvent, event } from '../../kinds/kubernetes/event/index.ts';
import { lease } from '../../kinds/kubernetes/lease/index.ts';
import { namespace } from '../../kinds/kubernetes/namespace/index.ts';
import { secret } from '../../kinds/kubernetes/secret/index.ts';
import { service } from '../../kinds/kubernetes/service/index.ts';
import type { KindDefinition } from '../../machinery/api/kind.ts';
import type { CallWebhook } from '../../machinery/api/webhook.ts';
import { createCustomKinds } from '../../machinery/custom/lookup.ts';
import { converterOf } from '../../machinery/custom/webhook.ts';
import type { Clock, Table } from '../../machinery/ports.ts';
import {
  type Audit,
  type Authorize,
  createRegistry,
  createServer,
  decidedBy,
  type Extension,
  ensureNamespaces,
  namespaceExtension,
  type ServerOptions,
  serveDefinitions,
} from '../../machinery/server/index.ts';
import { openStore } from '../../machinery/store/index.ts';
import { widget } from './widget.ts';

export const token = 'a-token-for-tests';

const toyKinds = [namespace, secret, configMap, coreEvent, event, lease, service, widget];

export const createTestServer = async (
  clock: Clock = systemClock,
  {
    authorize,
    extensions,
    kinds = toyKinds,
    audit,
    redact,
    longestList,
    clientRates,
    table = memoryTable({ clock }),
    callWebhook,
  }: {
    authorize?: Authorize;
    extensions?: Record<string, Extension>;
    kinds?: readonly KindDefinition[];
    audit?: Audit;
    redact?: ServerOptions['redact'];
    longestList?: number;
    clientRates?: ServerOptions['clientRates'];
    table?: Table;
    callWebhook?: CallWebhook;
  } = {},
) => {
  const store = openStore({
    table,
    clock,
    random: systemRandom,
    keys: memoryKeys(systemRandom),
    kinds,
    notifier: memoryNotifier(clock),
  });
  const custom = createCustomKinds({
    store,
    clock,
    ...(callWebhook && {
      converterOf: (conversion) => converterOf(conversion, { call: callWebhook, uid: () => systemRandom.uuid() }),
    }),
  });
  const registry = createRegistry(kinds, { namespaces: namespaceExtension, ...extensions }, custom);
  serveDefinitions(registry, { store, clock, created: clock.now() });
  await ensureNamespaces(store, clock, systemRandom);
  const logged: object[] = [];
  const server = createServer({
    kinds: registry,
    store,
    ...(authorize && { rights: decidedBy(authorize) }),
    ...(audit && { audit }),
    ...(redact && { redact }),
    ...(longestList && { longestList }),
    ...(clientRates && { clientRates }),
    clock: clock,
    random: systemRandom,
    authenticate: (request) =>
      request.headers.get('authorization') === `Bearer ${token}`
        ? { username: 'tester', groups: ['system:authenticated'] }
        : undefined,
    version: {
      major: '1',
      minor: '33',
      gitVersion: 'v1.33.0+capstan',
      gitCommit: '',
      gitTreeState: 'clean',
      buildDate: '2026-01-01T00:00:00Z',
      goVersion: '',
      compiler: '',
      platform: 'linux/amd64',
    },
    log: { info: () => undefined, error: (message, keys) => logged.push({ message, ...keys }) },
  });
  return { server, store, registry, logged };
};
