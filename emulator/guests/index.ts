/**
 * Simulates the instances that moto lists: they boot from user data into simulated clusters, load balancers
 * reach them, and state events are emitted. Independent of Capstan.
 */
import type { Instance } from '@aws-sdk/client-ec2';
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { nodeNetwork } from '../../adapters/node/index.ts';
import { guestPki } from '../../local/guest-pki.ts';
import type { Log } from '../../machinery/ports.ts';
import type { GuestInstance, GuestServices, HostedListener, Records, Storage } from '../../simulation/ports.ts';
import { createGuests, type SimulatedGuests } from '../../simulation/workload/index.ts';
import type { Names } from '../host/messages.ts';
import { putEvent } from '../unsigned.ts';
import { createSecrets } from './secrets.ts';
import { type Balanced, createView, type View } from './view.ts';

export interface PlayerOptions {
  /** MiniStack: secrets and events. */
  aws: string;
  /** moto: instances and load balancers. */
  compute: string;
  region: string;
  account: string;
  storage: Storage;
  /** Divides every delay inside the instances. */
  speed: number;
  log: Log;
  onNames: () => void;
}

export interface Player {
  guests: SimulatedGuests;
  /** Where the listener `name:port` is served. */
  names(): Names;
  close(): Promise<void>;
}

const interval = 1_000;
const download = async (url: string): Promise<Uint8Array | undefined> => {
  const answer = await fetch(url);
  return answer.ok ? answer.bytes() : undefined;
};

/** Reaches a deployed REST API, whose name no DNS of this machine knows, at MiniStack. */
const postThrough =
  (aws: string): NonNullable<GuestServices['post']> =>
  async (url, { token, body }) => {
    const { hostname, pathname } = new URL(url);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const path = `/_aws/execute-api/${hostname.split('.')[0]}${pathname}`;
    return (await fetch(`${aws}${path}`, { method: 'POST', headers, body })).status;
  };

/** The state of the last event. */
type StatesReported = Records<string>;

export const playInstances = (options: PlayerOptions): Player => {
  const { aws, compute, region, account, storage, speed, log, onNames } = options;
  const view = createView({ endpoint: compute, region });
  const secrets = createSecrets({ endpoint: aws, region, onError: (error) => log.error('A secret stays', { error }) });
  const network = nodeNetwork(log);
  const reported: StatesReported = storage.records('emulator-told');
  const booted = new Map<string, GuestInstance>();
  const listeners = new Map<string, HostedListener & { balanced: Balanced }>();
  const running = new Set<string>();

  const guests = createGuests({
    clock: systemClock,
    random: systemRandom,
    storage,
    network,
    services: () => ({
      readSecret: secrets.read,
      deleteSecret: secrets.remove,
      endpoint: (host, port) =>
        [...listeners.values()].find(({ balanced }) => balanced.host === host && balanced.port === port),
      instance: (instanceId) => booted.get(instanceId),
      download,
      post: postThrough(aws),
    }),
    speed,
    pki: guestPki,
    notifier: () => memoryNotifier(systemClock),
    log,
  });

  const tell = async (instanceId: string, state: string): Promise<void> => {
    await putEvent(aws, region, {
      source: 'aws.ec2',
      type: 'EC2 Instance State-change Notification',
      resources: [`arn:aws:ec2:${region}:${account}:instance/${instanceId}`],
      detail: { 'instance-id': instanceId, state },
    });
    reported.put(instanceId, state);
  };

  const follow = async (instance: Instance): Promise<void> => {
    const { InstanceId = '', State } = instance;
    const state = State?.Name ?? 'pending';
    if (state === 'running' && !booted.has(InstanceId)) {
      const guest = await view.guestOf(instance);
      await secrets.prefetch(guest);
      booted.set(InstanceId, guest);
      guests.boot(guest);
    }
    if (state === 'running') running.add(InstanceId);
    else if (running.delete(InstanceId) || booted.has(InstanceId)) {
      guests.halt(InstanceId);
      booted.delete(InstanceId);
      if (state === 'terminated') {
        guests.forget(InstanceId);
        secrets.forget(InstanceId);
      }
    }
    if (reported.get(InstanceId) !== state) await tell(InstanceId, state);
  };

  const listen = (current: Balanced[]): void => {
    let changed = false;
    for (const balanced of current) {
      const known = listeners.get(balanced.listenerArn);
      if (known) {
        known.balanced = balanced;
        continue;
      }
      const listener = {
        listenerArn: balanced.listenerArn,
        host: balanced.host,
        port: network.reserve(),
        balanced,
        healthyTargets: () =>
          (listeners.get(balanced.listenerArn)?.balanced.targets ?? []).flatMap(({ id, port }) =>
            running.has(id) ? [{ instanceId: id, port }] : [],
          ),
      };
      listeners.set(balanced.listenerArn, listener);
      guests.listen(listener);
      changed = true;
    }
    for (const arn of [...listeners.keys()])
      if (!current.some(({ listenerArn }) => listenerArn === arn)) {
        guests.close(arn);
        listeners.delete(arn);
        changed = true;
      }
    if (changed) onNames();
  };

  /** An instance that moto has lost counts as terminated. */
  const dropLost = ({ instances }: View): void => {
    const shown = new Set(instances.map(({ InstanceId }) => InstanceId));
    for (const { instance } of guests.guests())
      if (!shown.has(instance.instanceId)) {
        guests.halt(instance.instanceId);
        guests.forget(instance.instanceId);
        running.delete(instance.instanceId);
        booted.delete(instance.instanceId);
      }
  };

  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let complaint = '';
  const round = async (): Promise<void> => {
    try {
      const seen = await view.look();
      listen(seen.listeners);
      dropLost(seen);
      for (const instance of seen.instances) await follow(instance);
      complaint = '';
    } catch (error) {
      const message = String(error);
      if (!isClosed && message !== complaint) log.error('The instances cannot be followed', { error });
      complaint = message;
    }
    if (!isClosed) timer = setTimeout(next, interval);
  };
  let current = Promise.resolve();
  const next = () => {
    current = round();
  };
  next();

  return {
    guests,
    names: () =>
      Object.fromEntries(
        [...listeners.values()].map(({ balanced: { host, port: at }, port }) => [`${host}:${at}`, port]),
      ),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await current;
      guests.stop();
      view.close();
      secrets.close();
      await network.end();
    },
  };
};
