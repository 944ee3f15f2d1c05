/** Files of snapshots in the hands of etcd's own programs. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, start, until } from './processes.ts';

interface Status {
  revision: number;
  totalKey: number;
  totalSize: number;
}
/** Posts to the gateway of an etcd. */
export type Post = (path: string, body: object) => Promise<Record<string, unknown>>;

export const base64 = (text: string) => Buffer.from(text).toString('base64');

export const countOf = async (post: Post, prefix: string) => {
  const end = `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
  const all = { key: base64(prefix), range_end: base64(end), count_only: true };
  return Number((await post('/v3/kv/range', all)).count ?? 0);
};

export const postTo =
  (at: string): Post =>
  async (path, body) =>
    (await (await fetch(`${at}${path}`, { method: 'POST', body: JSON.stringify(body) })).json()) as Record<
      string,
      unknown
    >;

export const etcdFiles = (programs: () => { etcdutl: string; etcd: string }, directory: string) => {
  /** Runs an etcd with these flags while `ask` runs. */
  const running = async (flags: string[], data: string, ask: (post: Post, at: string) => Promise<void>) => {
    const [client, peer] = await freePorts(2);
    const [at, peers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    const listen = [`--listen-client-urls=${at}`, `--advertise-client-urls=${at}`, `--listen-peer-urls=${peers}`];
    const process = start(programs().etcd, [...flags, `--data-dir=${data}`, ...listen], `${data}.log`);
    const post = postTo(at);
    try {
      await until(async () => Number((await post('/v3/maintenance/status', {})).leader ?? 0) !== 0);
      await ask(post, at);
    } finally {
      await process.stop('SIGKILL');
    }
  };
  return {
    running,
    statusOf: (file: string): Status =>
      JSON.parse(
        execFileSync(programs().etcdutl, ['snapshot', 'status', file, '-w', 'json'], { encoding: 'utf8' }),
      ) as Status,
    /** Restores a file with etcdutl, and runs `ask` with the gateway of an etcd on it. */
    restored: async (file: string, ask: (post: Post) => Promise<void>) => {
      const data = join(mkdtempSync(join(directory, 'data-')), 'etcd');
      const peers = 'http://127.0.0.1:2380';
      const membership = [
        '--name=node-x',
        `--initial-cluster=node-x=${peers}`,
        `--initial-advertise-peer-urls=${peers}`,
      ];
      const bump = ['--bump-revision=1000000000', '--mark-compacted'];
      const into = [`--data-dir=${data}`, '--initial-cluster-token=restored'];
      execFileSync(programs().etcdutl, ['snapshot', 'restore', file, ...membership, ...bump, ...into], {
        stdio: 'ignore',
      });
      await running(['--name=node-x'], data, ask);
    },
  };
};
