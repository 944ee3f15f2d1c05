/** The commands with which a machine restores etcd, run with the real kubeadm, etcdutl and etcd. */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { snapshotFrom } from '../../adapters/workload/etcd-snapshot.ts';
import { freePorts, start, until } from '../workload/processes.ts';
import { etcdOf, etcdutlOf } from '../workload/programs.ts';
import { kubeadmOf } from './programs.ts';
import { render } from './render.ts';

const versions = { kubernetes: 'v1.35.0', etcd: process.env.ETCD_VERSION ?? 'v3.6.6' };
const directory = mkdtempSync(join(tmpdir(), 'capstan-restore-test-'));
const base64 = (text: string) => Buffer.from(text).toString('base64');
const node = 'ip-10-0-0-1.ec2.internal';

let programs: { kubeadm: string; etcdutl: string; etcd: string };
/** The snapshot as its storage has it. */
let snapshot: { file: Buffer; checksum: string; revision: number };
let storage: Server;
let url = '';

type Post = (path: string, body: object) => Promise<Record<string, unknown>>;

/** Runs an etcd on the data directory while `ask` runs. */
const withEtcd = async (data: string, ask: (post: Post, at: string) => Promise<void>, name = node) => {
  const [client, peer] = await freePorts(2);
  const at = `http://127.0.0.1:${client}`;
  const peers = `--listen-peer-urls=http://127.0.0.1:${peer}`;
  const flags = [`--name=${name}`, `--data-dir=${data}`, `--listen-client-urls=${at}`, `--advertise-client-urls=${at}`];
  const running = start(programs.etcd, [...flags, peers], `${data}.log`);
  const post: Post = async (path, body) =>
    (await (await fetch(`${at}${path}`, { method: 'POST', body: JSON.stringify(body) })).json()) as Record<
      string,
      unknown
    >;
  try {
    await until(async () => Number((await post('/v3/maintenance/status', {})).leader ?? 0) !== 0, 30);
    await ask(post, at);
  } finally {
    await running.stop('SIGKILL');
  }
};

const keysIn = async (post: Post): Promise<string[]> => {
  const { kvs = [] } = (await post('/v3/kv/range', { key: base64('/'), range_end: base64('0') })) as {
    kvs?: { key: string }[];
  };
  return kvs.map(({ key }) => Buffer.from(key, 'base64').toString('utf8'));
};

const takeSnapshot = async () => {
  await withEtcd(join(directory, 'before'), async (post, at) => {
    for (let i = 0; i < 50; i++)
      await post('/v3/kv/put', { key: base64(`/registry/configmaps/default/map-${i}`), value: base64('x'.repeat(i)) });
    const { header } = (await post('/v3/maintenance/status', {})) as { header: { revision: string } };
    const { body } = await fetch(`${at}/v3/maintenance/snapshot`, { method: 'POST', body: '{}' });
    const { content, summary } = snapshotFrom(body!);
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    snapshot = { file: Buffer.concat(chunks), checksum: summary().checksum, revision: Number(header.revision) };
  });
};

beforeAll(async () => {
  const [etcdutl, etcd] = await Promise.all([etcdutlOf(versions.etcd), etcdOf(versions.etcd)]);
  programs = { kubeadm: kubeadmOf(versions.kubernetes), etcdutl, etcd };
  await takeSnapshot();
  storage = createServer((request, response) => {
    if (request.url !== '/a/snapshot.db?expires=1&signature=%20x') response.statusCode = 403;
    response.end(request.url?.startsWith('/a/') ? snapshot.file : '');
  }).listen(0, '127.0.0.1');
  await promisify((done: () => void) => storage.once('listening', done))();
  url = `http://127.0.0.1:${(storage.address() as AddressInfo).port}/a/snapshot.db?expires=1&signature=%20x`;
});
afterAll(() => {
  storage?.close();
  rmSync(directory, { recursive: true });
});

interface Instance {
  /** What its directories /etc, /run and /var/lib hold. */
  root: string;
  /** Exit status and output of the commands. */
  status: number;
  output: string;
}

const executable = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
};

// kubeadm really writes the manifest, but starts no control plane.
const kubeadmShim = (root: string) => `#!/bin/sh
[ "$2" = phase ] && exec ${programs.kubeadm} "$@"
echo "$@" > ${root}/kubeadm-init
`;
const ctr = (etcdutl: string) => `#!/bin/sh
[ "$1 $2 $3" = "--namespace k8s.io images" ] || exit 9
case "$4" in
mount) mkdir -p "$6/usr/local/bin" && cp ${etcdutl} "$6/usr/local/bin/etcdutl" && echo "$5" > "$6/../image-name" && cp "$6/../image-name" /run/image-name ;;
unmount) [ "$5" = --rm ] && rm -r "$6" ;;
*) exit 9 ;;
esac
`;

interface Machine {
  /** Where etcdutl is found: on the host, or only in etcd's image. */
  etcdutl: 'host' | 'image';
  checksum?: string;
  link?: string;
  dataDir?: string;
  before?: (root: string) => void;
}

/** Writes the files of the user data, and runs its commands, with directories of its own. */
const boot = async ({
  etcdutl,
  checksum = snapshot.checksum,
  link = url,
  dataDir,
  before,
}: Machine): Promise<Instance> => {
  const root = mkdtempSync(join(directory, 'instance-'));
  const bin = join(root, 'bin');
  const spec = {
    clusterConfiguration: { ...(dataDir && { etcd: { local: { dataDir } } }) },
    initConfiguration: {
      localAPIEndpoint: { advertiseAddress: '10.0.0.1' },
      nodeRegistration: { name: '{{ ds.meta_data.local_hostname }}' },
    },
  };
  const userData = render('restore', spec, versions.kubernetes, { restored: { url: link, checksum } });
  const { write_files: files, runcmd } = parse(userData.replaceAll('{{ ds.meta_data.local_hostname }}', node), {
    version: '1.1',
  }) as { write_files: { path: string; content: string; permissions: string }[]; runcmd: string[] };
  for (const { path, content, permissions } of files) {
    const here = join(root, path.replace(/^\//, ''));
    executable(here, content);
    chmodSync(here, Number.parseInt(permissions, 8));
  }
  executable(join(bin, 'kubeadm'), kubeadmShim(root));
  if (etcdutl === 'host') executable(join(bin, 'etcdutl'), `#!/bin/sh\nexec ${programs.etcdutl} "$@"\n`);
  executable(join(bin, 'ctr'), etcdutl === 'image' ? ctr(programs.etcdutl) : '#!/bin/sh\nexit 9\n');
  executable(join(bin, 'crictl'), `#!/bin/sh\n[ "$1" = inspecti ] || [ "$1" = pull ]\n`);
  executable(join(bin, 'sleep'), '#!/bin/sh\n');
  for (const folder of ['etc', 'run', 'var/lib']) mkdirSync(join(root, folder), { recursive: true });
  before?.(root);
  const mounts = ['etc', 'run', 'var/lib'].map((folder) => `mount --bind ${join(root, folder)} /${folder}`);
  const script = [...mounts, `export PATH=${bin}:$PATH`, ...runcmd].join('\n');
  const inside = ['--user', '--map-root-user', '--mount', 'sh', '-ec', `exec 2>&1\n${script}`];
  try {
    // Not synchronously: the storage answers from this process.
    return { root, status: 0, output: (await promisify(execFile)('unshare', inside, { timeout: 50_000 })).stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { root, status: code, output: stdout };
  }
};

describe(`a machine that restores a snapshot of etcd ${versions.etcd}`, () => {
  it.each<{ rule: string; machine: Machine; data: string }>([
    { rule: 'with etcdutl on its image', machine: { etcdutl: 'host' }, data: 'var/lib/etcd' },
    { rule: 'with etcdutl from the image of etcd', machine: { etcdutl: 'image' }, data: 'var/lib/etcd' },
    {
      rule: 'on a disk of its own',
      machine: {
        etcdutl: 'host',
        dataDir: '/var/lib/disk/etcd',
        before: (root) => mkdirSync(join(root, 'var/lib/disk/etcd/lost+found'), { recursive: true }),
      },
      data: 'var/lib/disk/etcd',
    },
  ])('has its keys, $rule', async ({ machine, data }) => {
    const { root, status, output } = await boot(machine);
    expect(status, output).toBe(0);
    // kubeadm runs afterwards, on a directory that is not empty, and finds no manifest in its place.
    expect(readFileSync(join(root, 'kubeadm-init'), 'utf8')).toBe('init --config /run/kubeadm/kubeadm.yaml\n');
    expect(readFileSync(join(root, 'run/cluster-api/bootstrap-success.complete'), 'utf8')).toBe('success\n');
    expect(existsSync(join(root, 'etc/kubernetes/manifests/etcd.yaml'))).toBe(false);
    // The file holds Secrets.
    expect(existsSync(join(root, 'var/lib/capstan-restore'))).toBe(false);
    if (machine.etcdutl === 'image')
      expect(readFileSync(join(root, 'run/image-name'), 'utf8')).toMatch(/^registry\.k8s\.io\/etcd:3\.\d+\.\d+-\d+\n$/);
    await withEtcd(join(root, data), async (post) => {
      const keys = await keysIn(post);
      expect(keys).toHaveLength(50);
      const { header, members } = (await post('/v3/cluster/member/list', {})) as {
        header: { revision?: string };
        members: { name: string; peerURLs: string[] }[];
      };
      expect(members.map(({ name, peerURLs }) => [name, peerURLs])).toEqual([[node, ['https://10.0.0.1:2380']]]);
      const status = (await post('/v3/maintenance/status', {})) as { header: { revision: string } };
      expect(Number(status.header.revision)).toBeGreaterThanOrEqual(snapshot.revision + 1_000_000_000);
      // A client that watches from before must list again.
      const old = await post('/v3/kv/range', { key: base64('/'), range_end: base64('0'), revision: snapshot.revision });
      expect(JSON.stringify(old)).toContain('compacted');
      expect(header).toBeDefined();
    });
  });

  it.each<{ rule: string; machine: () => Machine; says: string }>([
    {
      rule: 'of another snapshot',
      machine: () => ({ etcdutl: 'host', checksum: `sha256:${'0'.repeat(64)}` }),
      says: 'the file is not the snapshot',
    },
    {
      rule: 'behind a link that has ended',
      machine: () => ({ etcdutl: 'host', link: url.replace('expires=1', 'expires=2') }),
      says: 'the snapshot cannot be downloaded',
    },
    {
      rule: 'where etcd has data already',
      machine: () => ({
        etcdutl: 'host',
        before: (root) => mkdirSync(join(root, 'var/lib/etcd/member'), { recursive: true }),
      }),
      says: '/var/lib/etcd has data already',
    },
  ])('starts nothing with a file $rule', async ({ machine, says }) => {
    const { root, status, output } = await boot(machine());
    expect(status).not.toBe(0);
    expect(output).toContain(says);
    expect(existsSync(join(root, 'kubeadm-init'))).toBe(false);
  });
});
