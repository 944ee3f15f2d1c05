/** `capstan describe cluster`. */
import { setTimeout as wait } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { Installation } from '../../kinds/capstan/installation/index.ts';
import { dataOf } from '../answer.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import { openScreen } from '../live.ts';
import { findReports } from '../why/index.ts';
import { causesAsData, renderCauses } from '../why/render.ts';
import { findClusterWithParts } from './load.ts';
import type { TreeNode } from './node.ts';
import { fitTree, renderTree } from './render.ts';
import { clusterTree } from './tree.ts';

export interface DescribeOptions {
  namespace?: string;
  output?: 'json' | 'yaml';
  watch?: boolean;
}

/** Milliseconds between two reads while watching. A watch of a deployed installation would occupy a function per type. */
const period = 2_000;

type Freeze = NonNullable<Installation['status']>['frozen'];

/** Undefined without an Installation, or when the caller may not read it. */
const findFreeze = async (client: ApiClient): Promise<Freeze> => {
  const answer = await client.request('GET', '/apis/capstan.dev/v1alpha1/installations/capstan');
  return answer.code === 200 ? dataOf<Installation>(answer.body).status?.frozen : undefined;
};

const frozenLine = ({ reason }: NonNullable<Freeze>): string =>
  `FROZEN (${reason}): no controller acts, and what follows may be out of date. See: capstan status`;

/** The tree as data, without undefined values. */
const treeData = ({ standsFor: _, children, ...own }: TreeNode): object => ({
  ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== '' && value !== undefined)),
  ...(children.length > 0 && { children: children.map(treeData) }),
});

const absent = (name: string, namespace: string): CliError =>
  new CliError(`clusters.cluster.x-k8s.io "${name}" not found in namespace ${namespace}`);

interface Terminal {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  write(text: string): unknown;
}

const watch = async (client: ApiClient, namespace: string, name: string, out: Terminal): Promise<void> => {
  const screen = openScreen(out);
  const interrupted = () => {
    screen.done();
    // A second signal, which nothing handles any more: a request may be open, and its answer far away.
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', interrupted);
  const freeze = await findFreeze(client);
  if (freeze) out.write(`${frozenLine(freeze)}\n`);
  let wasThere = false;
  try {
    for (;;) {
      const objects = await findClusterWithParts(client, namespace, name);
      if (!objects && !wasThere) throw absent(name, namespace);
      wasThere = true;
      screen.show(objects && clusterTree(objects, screen.steps));
      if (!objects) return;
      await wait(period);
    }
  } finally {
    process.off('SIGINT', interrupted);
    screen.done();
  }
};

export const describeCluster = async (
  client: ApiClient,
  name: string,
  { namespace = client.namespace, output, watch: isWatching = false }: DescribeOptions,
  out: Terminal = process.stdout,
): Promise<void> => {
  if (isWatching && output) throw new CliError('--watch prints no data: leave out one of --watch and --output', 2);
  if (isWatching) return watch(client, namespace, name, out);
  const now = Date.now();
  const [objects, freeze, [report]] = await Promise.all([
    findClusterWithParts(client, namespace, name),
    findFreeze(client),
    findReports(client, { namespace, clusterName: name }, now),
  ]);
  if (!objects) throw absent(name, namespace);
  const tree = clusterTree(objects);
  if (output) {
    const data = {
      ...(freeze && { frozen: freeze }),
      ...treeData(tree),
      ...(report && { causes: causesAsData(report) }),
    };
    out.write(output === 'json' ? `${JSON.stringify(data, null, 2)}\n` : stringify(data));
    return;
  }
  if (freeze) out.write(`${frozenLine(freeze)}\n\n`);
  out.write(`${out.isTTY ? fitTree(tree, now, { columns: out.columns ?? 80 }).join('\n') : renderTree(tree, now)}\n`);
  if (report && report.causes.length > 0)
    out.write(`\n${renderCauses(report.object, report.causes, now, out.columns)}\n`);
};
