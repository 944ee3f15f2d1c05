/** The inside of the simulated account's instances: machines that boot from their user data into Kubernetes clusters. */
import { type Clock, type Log, type Notifier, type Random, sleep } from '../../machinery/ports.ts';
import type { GuestInstance, GuestServices, HostedListener, Network, Records, Storage } from '../ports.ts';
import { bootMachine } from './boot/run.ts';
import { createClusters } from './clusters.ts';
import { createForwarder } from './forwarding.ts';
import type { SimulatedGuests } from './guests.ts';
import { createHosting } from './hosted.ts';
import { Halted, type Machine } from './machine.ts';
import { heard } from './observed-records.ts';
import type { GuestPki } from './pki.ts';
import type { GuestRecord } from './records.ts';
import { createRoster } from './roster.ts';

export type { SimulatedGuests } from './guests.ts';
export type { GuestPki, Pem } from './pki.ts';
export { guestTransport } from './transport.ts';

export interface GuestsOptions {
  clock: Clock;
  random: Random;
  storage: Storage;
  network: Network;
  /** Read at each use: the account and its guests depend on each other. */
  services: () => GuestServices;
  /** Divides every delay of the simulation; 1 by default. */
  speed?: number;
  /** Nodes become ready only with a DaemonSet that mounts /etc/cni/net.d. */
  requireCni?: boolean;
  pki: GuestPki;
  /** A notifier for each cluster's store. */
  notifier: () => Notifier;
  log?: Log;
}

/** The size of EC2's console output, in characters. */
const longestConsole = 64 * 1024;

const createConsoles = (storage: Storage, clock: Clock) => {
  const texts: Records<string> = storage.records('workload-consoles');
  return {
    of: (instanceId: string): string => texts.get(instanceId) ?? '',
    forget: (instanceId: string): void => texts.delete(instanceId),
    print: (instanceId: string, since: number, lines: string[]): void => {
      const uptime = ((clock.now() - since) / 1000).toFixed(6).padStart(12);
      const added = lines.map((line) => `[${uptime}] ${line}\n`).join('');
      texts.put(instanceId, ((texts.get(instanceId) ?? '') + added).slice(-longestConsole));
    },
  };
};

/** The load balancers' listeners; of several at an address, the first. */
const createListeners = () => {
  const byArn = new Map<string, HostedListener>();
  const byAddress = new Map<string, Set<HostedListener>>();
  const addressOf = ({ host, port }: Pick<HostedListener, 'host' | 'port'>) => `${host} ${port}`;
  const close = (arn: string): HostedListener | undefined => {
    const listener = byArn.get(arn);
    if (!listener) return undefined;
    byArn.delete(arn);
    const there = byAddress.get(addressOf(listener));
    there?.delete(listener);
    if (there?.size === 0) byAddress.delete(addressOf(listener));
    return listener;
  };
  return {
    open: (listener: HostedListener): void => {
      close(listener.listenerArn);
      const address = addressOf(listener);
      byArn.set(listener.listenerArn, listener);
      byAddress.set(address, (byAddress.get(address) ?? new Set()).add(listener));
    },
    close,
    at: (host: string, port: number): HostedListener | undefined =>
      byAddress.get(addressOf({ host, port }))?.values().next().value,
  };
};

/** From 1.30 the API server is built with Go 1.22, which dropped the cipher suites without forward secrecy. */
const takesOldCiphers = (protocol: string, version: string): boolean => {
  if (protocol === 'TCP') return true;
  return protocol !== 'HTTP' && Number(/^v?1\.(\d+)/.exec(version)?.[1]) < 30;
};

export const createGuests = (options: GuestsOptions): SimulatedGuests => {
  const { clock, random, storage, network, services, pki, log, speed = 1, requireCni = false } = options;
  const listening: ((instanceId: string) => void)[] = [];
  const changed = (instanceId: string): void => {
    for (const listen of listening) listen(instanceId);
  };
  const records = heard<GuestRecord>(storage.records('workload-guests'), (instanceId) => {
    const cluster = guests.get(instanceId)?.kubelet?.cluster;
    // A machine's etcd quorum depends on the other machines.
    if (cluster) clusterChanged(cluster);
    changed(instanceId);
  });
  const clusterChanged = (cluster: string): void => {
    for (const { instance, kubelet } of guests.of(cluster)) if (kubelet?.apiServer) changed(instance.instanceId);
  };
  const consoles = createConsoles(storage, clock);
  const guests = createRoster(records.entries().map(([, record]) => record));
  const running = new Map<string, AbortController>();
  const listeners = createListeners();
  const clusters = createClusters({
    storage,
    clock,
    random,
    notifier: options.notifier,
    ...(log && { log }),
    speed,
    requireCni,
    guests,
    forget: (instanceId) => {
      guests.delete(instanceId);
      records.delete(instanceId);
    },
    onChange: clusterChanged,
    services,
  });

  const forwarder = createForwarder({ clusters, guests });

  const machineOf = (record: GuestRecord, signal: AbortSignal): Machine => {
    const { instanceId, privateDnsName } = record.instance;
    return {
      record,
      command: { startedAt: clock.now() },
      files: new Map(),
      commands: [],
      mounts: [],
      fileSystems: [],
      hostname: record.hostname ?? privateDnsName.split('.')[0] ?? instanceId,
      get services() {
        return services();
      },
      now: () => clock.now(),
      scaled: (ms) => ms / speed,
      until: async (time) => {
        if (time > clock.now()) await sleep(clock, time - clock.now(), signal);
        if (signal.aborted) throw new Halted();
      },
      print: (...lines) => consoles.print(instanceId, record.bootedAt, lines),
      join: (kubelet) => {
        record.kubelet = kubelet;
        guests.joined(record);
      },
      save: () => {
        if (signal.aborted) throw new Halted();
        records.put(instanceId, record);
      },
    };
  };

  const run = (record: GuestRecord): void => {
    const { instanceId } = record.instance;
    if (record.isHosted || running.has(instanceId)) return;
    const controller = new AbortController();
    running.set(instanceId, controller);
    const machine = machineOf(record, controller.signal);
    // Deferred: after a restart the account does not exist yet.
    clock.after(0, () => {
      bootMachine(machine, { clusters, pki, random, guests: guests.all }).catch((error: unknown) => {
        if (error instanceof Halted || controller.signal.aborted) return;
        log?.error('A simulated machine crashed', { instance: instanceId, error: String(error) });
        consoles.print(instanceId, record.bootedAt, [`kernel panic - not syncing: ${String(error)}`]);
      });
    });
  };

  const boot = (instance: GuestInstance): void => {
    const { instanceId } = instance;
    const known = guests.get(instanceId);
    const record: GuestRecord = known ?? { instance, bootedAt: clock.now(), step: 0 };
    if (known?.haltedAt !== undefined) delete known.haltedAt;
    if (!known)
      consoles.print(instanceId, record.bootedAt, [`Booting ${instance.imageName} on ${instance.instanceType}`]);
    guests.set(record);
    records.put(instanceId, record);
    run(record);
    if (record.kubelet) clusters.get(record.kubelet.cluster)?.poke();
  };

  const halt = (instanceId: string, isEnded = false): void => {
    const record = guests.get(instanceId);
    if (!record) return;
    if (isEnded && !record.isEnded) {
      record.isEnded = true;
      records.put(instanceId, record);
      if (record.kubelet) clusters.get(record.kubelet.cluster)?.poke();
    }
    if (record.haltedAt !== undefined) return;
    record.haltedAt = clock.now();
    records.put(instanceId, record);
    running.get(instanceId)?.abort();
    running.delete(instanceId);
    consoles.print(instanceId, record.bootedAt, ['reboot: Power down']);
    clusters.halted(record);
  };

  const serve = (listener: HostedListener): void => {
    network.listen(listener.port, {
      identity: () => {
        const reached = clusters.behind(listener);
        const api = reached?.guest.kubelet?.apiServer;
        return reached && api
          ? { certificate: api.certificate, key: api.key, clientAuthorities: reached.cluster.record.caCertificate }
          : undefined;
      },
      fetch: async (request, peer) => {
        const reached = clusters.behind(listener);
        if (!reached) return Response.error();
        return reached.cluster.fetch(request, reached.guest.kubelet!.apiServer!.version, peer);
      },
      forward: async (request, peer) => {
        const reached = clusters.behind(listener);
        return reached ? forwarder.forward(reached, request, peer) : Response.error();
      },
    });
  };

  const listen = (listener: HostedListener): void => {
    listeners.open(listener);
    serve(listener);
  };
  const close = (listenerArn: string): void => {
    const listener = listeners.close(listenerArn);
    if (listener) network.close(listener.port);
  };
  const hosting = createHosting({ clusters, guests, records, pki, random, clock, listen, close });

  for (const record of guests.all()) if (record.haltedAt === undefined) run(record);
  for (const cluster of clusters.all()) cluster.poke();

  return {
    boot,
    halt,
    answers: (instanceId, port, { protocol, oldCiphers }) => {
      const record = guests.get(instanceId);
      if (!record || record.kubelet?.apiServer?.port !== port || !clusters.runsApiServer(record)) return false;
      if (oldCiphers && !takesOldCiphers(protocol, record.kubelet.apiServer.version)) return false;
      // Checks of TCP and TLS only need the process; an HTTPS check asks whether it is ready.
      return (
        protocol === 'TCP' ||
        protocol === 'SSL' ||
        (clusters.isServing(record) && record.illComponent !== 'kube-apiserver')
      );
    },
    onChange: (listen) => void listening.push(listen),
    listen,
    close,
    ...hosting,
    forget: (instanceId) => {
      consoles.forget(instanceId);
      // A cluster reports a machine itself, once it has deleted its node.
      if (guests.get(instanceId)?.kubelet) return;
      guests.delete(instanceId);
      records.delete(instanceId);
    },
    console: consoles.of,
    clusters,
    guests: guests.all,
    ail: (instanceId, ailment) => {
      const record = guests.get(instanceId);
      if (!record) return;
      if (ailment) record.ailment = ailment;
      else delete record.ailment;
      records.put(instanceId, record);
      if (record.kubelet) clusters.get(record.kubelet.cluster)?.poke();
    },
    spoil: (instanceId, component) => {
      const record = guests.get(instanceId);
      if (!record) return;
      if (component) record.illComponent = component;
      else delete record.illComponent;
      records.put(instanceId, record);
      if (record.kubelet) clusters.get(record.kubelet.cluster)?.poke();
      changed(instanceId);
    },
    listener: listeners.at,
    clock,
    forwarder,
    stop: () => {
      for (const controller of running.values()) controller.abort();
      running.clear();
      clusters.stop();
    },
  };
};
