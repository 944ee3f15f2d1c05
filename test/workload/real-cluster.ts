/** A cluster of real programs: an API server, an etcd of three members, and a kubelet that forwards ports to them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { httpsTransport } from '../../adapters/workload/index.ts';
import { connectionOf } from '../../kinds/ports/kubeconfig.ts';
import type { EtcdAccess } from '../../kinds/ports/workload.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import { type Authorities, certify, createAuthorities, serviceAccountKeys } from './certificates.ts';
import { freePorts, type Process, start, until } from './processes.ts';
import { apiServerOf, etcdOf, kubeletOf } from './programs.ts';

export const versions = {
  kubernetes: process.env.KUBERNETES_VERSION ?? 'v1.33.13',
  /** Kubelets may be older than their API server. */
  kubelet: process.env.KUBELET_VERSION ?? process.env.KUBERNETES_VERSION ?? 'v1.33.13',
  etcd: process.env.ETCD_VERSION ?? 'v3.5.21',
};

export const nodes = ['node-a', 'node-b', 'node-c'] as const;
export type NodeName = (typeof nodes)[number];

const base64 = (text: string) => Buffer.from(text).toString('base64');

const kubeconfigFor = (server: string, ca: string, user: object): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'me' } }],
    users: [{ name: 'me', user }],
  });
export const kubeconfigOf = (server: string, ca: string, client: { certificate: string; key: string }): string =>
  kubeconfigFor(server, ca, {
    'client-certificate-data': base64(client.certificate),
    'client-key-data': base64(client.key),
  });
export const tokenKubeconfigOf = (server: string, ca: string, token: string): string =>
  kubeconfigFor(server, ca, { token });

/** Writes PEM files and returns their paths. */
const filesIn = (directory: string) => (name: string, content: string) => {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
};

export interface ClusterOptions {
  /** Further flags of the API server. */
  apiServerFlags?: string[];
}

export const startCluster = async ({ apiServerFlags = [] }: ClusterOptions = {}) => {
  const apiServerProgram = await apiServerOf(versions.kubernetes);
  const kubeletProgram = await kubeletOf(versions.kubelet);
  const etcdProgram = await etcdOf(versions.etcd);
  const directory = mkdtempSync(join(tmpdir(), 'capstan-workload-'));
  const file = filesIn(directory);
  const log = (name: string) => join(directory, `${name}.log`);
  const authorities: Authorities = createAuthorities();
  const ports = await freePorts(8);
  const running = new Map<string, Process>();

  const etcdCa = file('etcd-ca.crt', authorities.etcd.certificate);
  const members = nodes.map((name, i) => {
    const serving = certify(authorities.etcd, ['server', 'client'], { name, names: [name, 'localhost', '127.0.0.1'] });
    const cert = file(`etcd-${name}.crt`, serving.certificate);
    const key = file(`etcd-${name}.key`, serving.key);
    return { name, client: ports[i]!, peer: ports[i + 3]!, cert, key };
  });
  const startMember = (name: NodeName): void => {
    const { client, peer, cert, key } = members.find((member) => member.name === name)!;
    const args = {
      name,
      'data-dir': join(directory, `etcd-${name}`),
      'listen-client-urls': `https://127.0.0.1:${client}`,
      'advertise-client-urls': `https://127.0.0.1:${client}`,
      'listen-peer-urls': `https://127.0.0.1:${peer}`,
      'initial-advertise-peer-urls': `https://127.0.0.1:${peer}`,
      'initial-cluster': members.map((member) => `${member.name}=https://127.0.0.1:${member.peer}`).join(','),
      'cert-file': cert,
      'key-file': key,
      'client-cert-auth': 'true',
      'trusted-ca-file': etcdCa,
      'peer-cert-file': cert,
      'peer-key-file': key,
      'peer-client-cert-auth': 'true',
      'peer-trusted-ca-file': etcdCa,
      'heartbeat-interval': '50',
      'election-timeout': '500',
    };
    const flags = Object.entries(args).map(([flag, value]) => `--${flag}=${value}`);
    running.set(name, start(etcdProgram, flags, log(`etcd-${name}`)));
  };
  for (const { name } of members) startMember(name);

  const kubeletCa = file('kubelet-ca.crt', authorities.kubelet.certificate);
  const kubeletServing = certify(authorities.kubelet, ['server'], { name: 'kubelet', names: ['127.0.0.1'] });
  const kubeletPort = ports[6]!;
  const targets = join(directory, 'targets.json');
  const apiPort = ports[7]!;
  /** The ports of each pod, for the kubelet. */
  const defaultTargets = () =>
    Object.fromEntries(
      members.flatMap(({ name, client }) => [
        [`etcd-${name}`, { 2379: `127.0.0.1:${client}` }],
        [`kube-apiserver-${name}`, { 6443: `127.0.0.1:${apiPort}` }],
      ]),
    );
  const forward = (changes: Record<string, Record<string, string>> = {}) =>
    writeFileSync(targets, JSON.stringify({ ...defaultTargets(), ...changes }));
  forward();
  const startKubelet = () =>
    running.set(
      'kubelet',
      start(
        kubeletProgram,
        [
          `--address=127.0.0.1:${kubeletPort}`,
          `--tls-cert-file=${file('kubelet.crt', kubeletServing.certificate)}`,
          `--tls-private-key-file=${file('kubelet.key', kubeletServing.key)}`,
          `--client-ca-file=${kubeletCa}`,
          `--targets=${targets}`,
        ],
        log('kubelet'),
      ),
    );
  startKubelet();

  const etcdClient = certify(authorities.etcd, ['client'], { name: 'kube-apiserver-etcd-client' });
  const kubeletClient = certify(authorities.kubelet, ['client'], { name: 'kube-apiserver-kubelet-client' });
  const servingFor = (days: number) =>
    certify(authorities.cluster, ['server'], {
      name: 'kube-apiserver',
      names: ['kubernetes', 'localhost', '127.0.0.1'],
      days,
    });
  let serving = servingFor(5);
  const account = serviceAccountKeys();
  mkdirSync(join(directory, 'certificates'));
  const startApiServer = ({ days = 5, more = apiServerFlags } = {}) => {
    serving = servingFor(days);
    const args = {
      'etcd-servers': members.map(({ client }) => `https://127.0.0.1:${client}`).join(','),
      'etcd-cafile': etcdCa,
      'etcd-certfile': file('etcd-client.crt', etcdClient.certificate),
      'etcd-keyfile': file('etcd-client.key', etcdClient.key),
      'bind-address': '127.0.0.1',
      'secure-port': apiPort,
      'cert-dir': join(directory, 'certificates'),
      'tls-cert-file': file('api.crt', serving.certificate),
      'tls-private-key-file': file('api.key', serving.key),
      'client-ca-file': file('ca.crt', authorities.cluster.certificate),
      'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
      'service-account-key-file': file('sa.pub', account.publicKey),
      'service-account-signing-key-file': file('sa.key', account.privateKey),
      'service-cluster-ip-range': '10.96.0.0/16',
      'authorization-mode': 'Node,RBAC',
      'kubelet-certificate-authority': kubeletCa,
      'kubelet-client-certificate': file('kubelet-client.crt', kubeletClient.certificate),
      'kubelet-client-key': file('kubelet-client.key', kubeletClient.key),
      'kubelet-preferred-address-types': 'InternalIP',
      'endpoint-reconciler-type': 'none',
      'allow-privileged': 'true',
      // No controller creates the service accounts of pods here.
      'disable-admission-plugins': 'ServiceAccount',
    };
    const flags = Object.entries(args).map(([flag, value]) => `--${flag}=${value}`);
    running.set('kube-apiserver', start(apiServerProgram, [...flags, ...more], log('kube-apiserver')));
  };
  startApiServer();

  const server = `https://127.0.0.1:${apiPort}`;
  const ca = authorities.cluster.certificate;
  const kubeconfig = kubeconfigOf(
    server,
    ca,
    certify(authorities.cluster, ['client'], { name: 'admin', organizations: ['system:masters'] }),
  );
  const transport = httpsTransport();
  /** What controllers and kubelets write, which the port cannot express. */
  const request = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
    const response = await transport.fetch(
      connectionOf(kubeconfig),
      new Request(`${server}${path}`, {
        method,
        headers: { 'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return JSON.parse(text) as JsonObject;
  };
  const stop = async () => {
    await Promise.all([...running.values()].map(({ stop }) => stop('SIGKILL')));
    rmSync(directory, { recursive: true, force: true });
  };
  const answers = () => until(async () => (await request('GET', '/api/v1/namespaces/kube-system')) && true, 90);
  try {
    await answers();
  } catch (error) {
    const output = readFileSync(log('kube-apiserver'), 'utf8').split('\n').slice(-15).join('\n');
    await stop();
    throw new Error(`the API server does not answer: ${(error as Error).message}\n${output}`);
  }

  for (const name of nodes) {
    await request('POST', '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      status: {
        addresses: [
          { type: 'InternalIP', address: '127.0.0.1' },
          { type: 'Hostname', address: name },
        ],
        daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }],
      },
    });
    for (const component of ['etcd', 'kube-apiserver'])
      await request('POST', '/api/v1/namespaces/kube-system/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${component}-${name}`, labels: { component, tier: 'control-plane' } },
        spec: { nodeName: name, hostNetwork: true, containers: [{ name: component, image: component }] },
      });
  }

  const etcdCredentials = certify(authorities.etcd, ['client'], { name: 'capstan' });
  const etcdAccess = (among: readonly string[] = nodes): EtcdAccess => ({
    kubeconfig,
    caCertificate: authorities.etcd.certificate,
    clientCertificate: etcdCredentials.certificate,
    clientKey: etcdCredentials.key,
    nodes: [...among],
  });

  /** The JSON gateway of etcd, reached directly. */
  const gateway = (path: string, body: JsonObject = {}): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const outgoing = httpsRequest({
        host: '127.0.0.1',
        port: members[0]!.client,
        path,
        method: 'POST',
        ca: authorities.etcd.certificate,
        cert: etcdCredentials.certificate,
        key: etcdCredentials.key,
      });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => json(incoming).then((body) => resolve(body as never), reject));
      outgoing.end(JSON.stringify(body));
    });

  return {
    authorities,
    gateway,
    server,
    kubeconfig,
    request,
    etcdAccess,
    etcdPort: (name: NodeName) => members.find((member) => member.name === name)!.client,
    apiPort,
    apiCertificate: () => serving.certificate,
    forward,
    kubeletLog: () => readFileSync(log('kubelet'), 'utf8'),
    stopProcess: async (name: string, signal: NodeJS.Signals = 'SIGKILL') => {
      await running.get(name)?.stop(signal);
      running.delete(name);
    },
    signal: (name: string, signal: NodeJS.Signals) => running.get(name)?.child.kill(signal),
    startMember,
    startApiServer,
    /** Starts the stopped API server with other flags, and waits until it answers. */
    restartApiServer: async (more: string[]) => {
      startApiServer({ more });
      await answers();
    },
    startKubelet,
    stop,
  };
};
export type RealCluster = Awaited<ReturnType<typeof startCluster>>;
