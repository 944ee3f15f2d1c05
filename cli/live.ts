/** Follows a cluster: redraws the tree on a terminal, prints one line per change into a pipe. */
import type { ApiClient } from './client.ts';
import { flatten, oneLine } from './describe/layout.ts';
import { findClusterObjects } from './describe/load.ts';
import type { TreeNode } from './describe/node.ts';
import { type Steps, stepPrefix } from './describe/operation.ts';
import { awaited, fitTree } from './describe/render.ts';
import { type ClusterObjects, clusterTree } from './describe/tree.ts';
import { duration } from './table.ts';

export interface Screen {
  /** The steps of the operation that fit. */
  steps: Steps;
  show(tree: TreeNode | undefined): void;
  /** Draws the final tree and keeps it on the screen. */
  done(): void;
}

/** A terminal, or a pipe. */
export interface Out {
  write(text: string): unknown;
  isTTY?: boolean;
  rows?: number;
  columns?: number;
}

const terminalScreen = (out: Out, now: () => number): Screen => {
  const began = now();
  let drawn: string[] = [];
  let tree: TreeNode | undefined;
  let ticking: NodeJS.Timeout | undefined;
  const draw = () => {
    const [columns, rows] = [out.columns || 80, out.rows || 24];
    // A full last column would wrap on some terminals, and the last row holds the cursor.
    const area = { columns: columns - 1, rows: rows - 2 };
    const lines = tree ? fitTree(tree, now(), area) : ['(gone)'];
    // If the terminal became narrower, the last frame takes more rows.
    const height = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
    const up = Math.min(height, rows - 1);
    drawn = [...lines, `${duration(now() - began)} elapsed`];
    out.write(`${up > 0 ? `\u001b[${up}A\r` : ''}\u001b[0J${drawn.join('\n')}\n`);
  };
  return {
    steps: 'open',
    show: (next) => {
      clearInterval(ticking);
      tree = next;
      draw();
      // Redraws for growing ages.
      ticking = setInterval(draw, 1000).unref();
    },
    done: () => {
      clearInterval(ticking);
      if (drawn.length > 0) draw();
      drawn = [];
    },
  };
};

const facts = ({ label, replicas, available, ready, status, reason, message }: TreeNode): string => {
  const counts = replicas ? ` (${replicas} replicas, ${available} available, ${ready} ready)` : '';
  const why = oneLine([reason, message].filter(Boolean).join(': '));
  return `${label}${counts}${status ? ` ${status}` : ''}${why ? ` · ${why}` : ''}`;
};

/** Milliseconds without a change after which a pipe gets a line. */
const silence = 30_000;

const pipeScreen = (out: Out, now: () => number): Screen => {
  const began = now();
  let last = new Map<string, string>();
  let there = new Set<string>();
  let ticking: NodeJS.Timeout | undefined;
  const remind = (tree: TreeNode | undefined) => {
    const [first] = tree ? awaited(tree) : [];
    const what = first ? `: ${first.label} · ${oneLine(first.message)}` : '';
    out.write(`… ${duration(now() - began)} elapsed${what}\n`);
  };
  return {
    steps: 'all',
    show: (tree) => {
      const nodes = tree ? flatten(tree) : [];
      const next = new Map(nodes.map((node) => [node.label, facts(node)]));
      const still = new Set(nodes.flatMap(({ standsFor }) => standsFor));
      for (const [label, line] of next) if (last.get(label) !== line) out.write(`${line}\n`);
      // Steps of the next operation replace those of the last one.
      const left = [...there].filter((label) => !still.has(label) && !label.startsWith(stepPrefix));
      for (const label of left) out.write(`${label} gone\n`);
      last = next;
      there = still;
      clearInterval(ticking);
      ticking = setInterval(() => remind(tree), silence).unref();
    },
    done: () => clearInterval(ticking),
  };
};

export const openScreen = (out: Out, now: () => number = Date.now): Screen =>
  out.isTTY ? terminalScreen(out, now) : pipeScreen(out, now);

const watched = [
  '/apis/cluster.x-k8s.io/v1beta2/clusters',
  '/apis/cluster.x-k8s.io/v1beta2/machinedeployments',
  '/apis/cluster.x-k8s.io/v1beta2/machines',
  '/apis/controlplane.cluster.x-k8s.io/v1beta2/kubeadmcontrolplanes',
  '/apis/infrastructure.cluster.x-k8s.io/v1beta2/awsclusters',
  '/apis/addons.cluster.x-k8s.io/v1beta2/clusterresourcesetbindings',
  '/apis/capstan.dev/v1alpha1/clusteroperations',
];

/** Counts changes of the watched collections; the promise resolves at the next one. */
const changes = (client: ApiClient, signal: AbortSignal) => {
  let wake = () => {};
  let next = new Promise<void>((resolve) => (wake = resolve));
  const follow = async (path: string) => {
    while (!signal.aborted) {
      for await (const _ of client.stream(`${path}?watch=true`, signal)) {
        const ring = wake;
        next = new Promise<void>((resolve) => (wake = resolve));
        ring();
      }
    }
  };
  const failed = Promise.all(watched.map(follow));
  return { next: () => Promise.race([next, failed]) };
};

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Follows a cluster until `until` holds for it (undefined = it does not exist). Returns false after
 * `quietTime` milliseconds without a change.
 */
export const watchCluster = async (
  client: ApiClient,
  name: { namespace: string; name: string },
  screen: Screen,
  until: (objects: ClusterObjects | undefined) => boolean,
  quietTime: number,
): Promise<{ reached: boolean; objects: ClusterObjects | undefined }> => {
  const stop = new AbortController();
  try {
    const feed = changes(client, stop.signal);
    for (;;) {
      const next = feed.next();
      // A rejection without a waiter must not end the process.
      next.catch(() => undefined);
      const objects = await findClusterObjects(client, name.namespace, name.name);
      screen.show(objects && clusterTree(objects, screen.steps));
      if (until(objects)) return { reached: true, objects };
      const quiet = Symbol('quiet');
      const outcome = await Promise.race([next, pause(quietTime).then(() => quiet)]);
      if (outcome === quiet) return { reached: false, objects };
      // Draws a burst of changes once.
      await pause(100);
    }
  } finally {
    stop.abort();
    screen.done();
  }
};
