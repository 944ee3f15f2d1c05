/** The surroundings of simulated machines: a clock, secrets, one load balancer, and a client. */
import { stringify } from 'yaml';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import type { VirtualClock } from '../../adapters/memory/virtual-clock.ts';
import {
  createAuthority,
  describeCertificate,
  generateKey,
  issue,
  privatePem,
  publicPem,
} from '../../adapters/pki/index.ts';
import { createWorkload } from '../../adapters/workload/index.ts';
import type { Workload } from '../../kinds/ports/workload.ts';
import type { Clock } from '../../machinery/ports.ts';
import type { GuestInstance, HostedListener, Network, Storage, TlsService } from '../../simulation/ports.ts';
import { createGuests, type GuestPki, guestTransport, type SimulatedGuests } from '../../simulation/workload/index.ts';
import type { Certificates } from './user-data.ts';

export const start = Date.parse('2026-11-21T12:00:00Z');
export const second = 1000;

export const testPki: GuestPki = {
  authority: ({ commonName, days, now }) =>
    createAuthority({ subject: { commonName }, days, algorithm: 'ECDSA-P256', now }),
  issue: ({ commonName, organizations, ...rest }) =>
    issue({ ...rest, subject: { commonName, ...(organizations && { organizations }) }, algorithm: 'ECDSA-P256' }),
};

export const certificatesAt = (now: number): Certificates => {
  const ca = (commonName: string) => testPki.authority({ commonName, days: 3650, now });
  const key = generateKey('ECDSA-P256');
  return {
    ca: ca('kubernetes'),
    etcd: ca('etcd-ca'),
    proxy: ca('front-proxy-ca'),
    sa: { publicKey: publicPem(key), privateKey: privatePem(key) },
  };
};
export const hashOf = ({ ca }: Certificates): string => describeCertificate(ca.certificate)!.publicKeyHash;

/** The administrator's kubeconfig, signed by `signer`, for the cluster of `certificates`. */
export const kubeconfigOf = (
  endpoint: string,
  { ca }: Certificates,
  now: number,
  signer = ca,
  organizations = ['system:masters'],
): string => {
  const client = testPki.issue({
    commonName: 'kubernetes-admin',
    organizations,
    usages: ['client'],
    ca: signer,
    days: 365,
    now,
  });
  const data = (text: string) => Buffer.from(text).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [
      { name: 'test', cluster: { server: `https://${endpoint}`, 'certificate-authority-data': data(ca.certificate) } },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    users: [
      {
        name: 'admin',
        user: { 'client-certificate-data': data(client.certificate), 'client-key-data': data(client.key) },
      },
    ],
  });
};

export interface Bench {
  guests: SimulatedGuests;
  workload: Workload;
  secrets: Map<string, Uint8Array>;
  instances: Map<string, GuestInstance>;
  services: Map<number, TlsService>;
  /** The instances to which the load balancer sends requests, if they answer. */
  targets: Set<string>;
  errors: unknown[];
  boot(id: string, userData: string | Uint8Array, instance?: Partial<GuestInstance>): string;
}

export interface BenchOptions {
  clock: Clock;
  storage: Storage;
  network?: Network;
  port?: number;
  speed?: number;
  requireCni?: boolean;
  /** The targets of a bench before a restart. */
  targets?: Set<string>;
  secrets?: Map<string, Uint8Array>;
  instances?: Map<string, GuestInstance>;
  seed?: number;
}

export const openBench = ({
  clock,
  storage,
  network,
  port = 6443,
  speed = 1,
  requireCni = false,
  targets = new Set(),
  seed = 1,
  secrets = new Map(),
  instances = new Map(),
}: BenchOptions): Bench => {
  const services = new Map<number, TlsService>();
  const errors: unknown[] = [];
  const listener: HostedListener = {
    listenerArn: 'arn:listener/test',
    host: '127.0.0.1',
    port,
    healthyTargets: () =>
      [...targets]
        .filter((id) => guests.answers(id, 6443, { protocol: 'HTTPS', path: '/readyz' }))
        .map((instanceId) => ({ instanceId, port: 6443 })),
  };
  const guests = createGuests({
    clock,
    random: seededRandom(seed),
    storage,
    network: network ?? {
      listen: (at, service) => void services.set(at, service),
      close: (at) => void services.delete(at),
      reserve: () => 0,
    },
    services: () => ({
      readSecret: (_, name) => secrets.get(name),
      deleteSecret: (_, name) => void secrets.delete(name),
      endpoint: (host, at) => (host === listener.host && at === listener.port ? listener : undefined),
      instance: (id) => instances.get(id),
    }),
    speed,
    requireCni,
    pki: testPki,
    notifier: () => memoryNotifier(clock),
    log: { info: () => undefined, error: (message, keys) => void errors.push({ message, ...keys }) },
  });
  guests.listen(listener);
  return {
    guests,
    workload: createWorkload({ transport: guestTransport(guests) }),
    secrets,
    instances,
    services,
    targets,
    errors,
    boot: (id, userData, instance = {}) => {
      const privateIp = `10.0.0.${instances.size + 10}`;
      const privateDnsName = `ip-${privateIp.replaceAll('.', '-')}.ec2.internal`;
      const whole: GuestInstance = {
        instanceId: id,
        region: 'us-east-1',
        zone: 'us-east-1a',
        instanceType: 't3.large',
        architecture: 'x86_64',
        imageName: 'capa-ami-ubuntu-24.04-v1.35.0-1730000000',
        userData,
        privateIp,
        privateDnsName,
        tags: {},
        ...instance,
      };
      instances.set(id, whole);
      targets.add(id);
      guests.boot(whole);
      return whole.privateDnsName;
    },
  };
};

/** Advances the clock by `seconds` in steps, until `done`. */
export const eventually = async (clock: VirtualClock, done: () => Promise<boolean>, seconds = 300): Promise<void> => {
  for (let passed = 0; passed <= seconds; passed++) {
    if (await done()) return;
    await clock.advance(second);
  }
  throw new Error(`not true after ${seconds} s`);
};
