/** Fits a tree into a terminal: short names, one line per row, and no more rows than the terminal has. */
import { stripVTControlCharacters } from 'node:util';
import type { TreeNode } from './node.ts';

/** One line without control characters, because a message may contain any text. */
export const oneLine = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\s*\n\s*/g, ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they would move the cursor.
    .replace(/[\u0000-\u001f\u007f]/g, ' ')
    .trim();

export const cut = (text: string, width: number): string =>
  text.length <= width ? text : width < 1 ? '' : `${text.slice(0, width - 1)}…`;

/** Cuts the middle: names of a set differ at their ends. */
const cutMiddle = (text: string, width: number): string => {
  if (text.length <= width) return text;
  const end = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - end)}…${text.slice(text.length - end)}`;
};

/** The abbreviations of clusterctl, and one of Capstan's. */
const shortKinds: Record<string, string> = {
  KubeadmControlPlane: 'KCP',
  MachineDeployment: 'MD',
  MachinePool: 'MP',
  ClusterResourceSet: 'CRS',
  ClusterOperation: 'Operation',
};

/** `ControlPlane - KubeadmControlPlane/a` becomes `KCP/a`. */
export const shortName = (label: string, width: number): string => {
  const name = label
    .replace(/^\w+ - /, '')
    .replace(/^(\w+)\//, (all, kind) => `${shortKinds[kind] ?? all.slice(0, -1)}/`);
  return cutMiddle(name, width);
};

/** Nothing is pending. Group rows have no status. */
export const isSettled = ({ status, replicas, ready }: TreeNode): boolean => {
  if (status.startsWith('Deleting')) return false;
  if (!/^$|: True$|^Succeeded$|^Cancelled$/.test(status)) return false;
  const [have, want] = replicas.split('/');
  return want === undefined || (have === want && ready === want);
};

export const flatten = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(flatten)];

interface Placed {
  node: TreeNode;
  above: Placed | undefined;
}
const place = (node: TreeNode, above?: Placed): Placed[] => {
  const own = { node, above };
  return [own, ...node.children.flatMap((child) => place(child, own))];
};
const lineage = (placed: Placed): TreeNode[] => [...(placed.above ? lineage(placed.above) : []), placed.node];

/** A tree of at most `most` rows: unsettled rows come first, each with its ancestors. */
export const prune = (root: TreeNode, most: number): { tree: TreeNode; hidden: TreeNode[] } => {
  const all = place(root);
  if (all.length <= most) return { tree: root, hidden: [] };
  const kept = new Set([root]);
  const inOrder = [...all.filter(({ node }) => !isSettled(node)), ...all.filter(({ node }) => isSettled(node))];
  for (const placed of inOrder) {
    const more = lineage(placed).filter((node) => !kept.has(node));
    if (kept.size + more.length <= most) for (const node of more) kept.add(node);
  }
  const only = (node: TreeNode): TreeNode => ({
    ...node,
    children: node.children.filter((child) => kept.has(child)).map(only),
  });
  return { tree: only(root), hidden: all.map(({ node }) => node).filter((node) => !kept.has(node)) };
};

/** Lines of at most `width` characters, broken between words. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of oneLine(text).split(' ')) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line].filter(Boolean).map((each) => cut(each, width));
};
