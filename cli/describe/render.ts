import { duration, renderTable } from '../table.ts';
import { cut, flatten, isSettled, oneLine, prune, shortName, wrap } from './layout.ts';
import type { TreeNode } from './node.ts';

const header = ['NAME', 'STATUS', 'REASON', 'SINCE', 'REPLICAS', 'AVAILABLE', 'READY', 'UP TO DATE', 'MESSAGE'];

const age = ({ since }: TreeNode, now: number): string => (since ? duration(now - Date.parse(since)) : '');

interface Branch {
  node: TreeNode;
  /** The branch lines before the row. */
  lead: string;
}
const branches = (node: TreeNode, own = '', below = ''): Branch[] => [
  { node, lead: own },
  ...node.children.flatMap((child, i) => {
    const last = i === node.children.length - 1;
    return branches(child, below + (last ? '└─' : '├─'), below + (last ? '  ' : '│ '));
  }),
];

/** Every column and every message in full, for a pipe. `now` in milliseconds. */
export const renderTree = (root: TreeNode, now: number): string =>
  renderTable([
    header,
    ...branches(root).map(({ node, lead }) => [
      lead + node.label,
      node.status,
      node.reason,
      age(node, now),
      node.replicas,
      node.available,
      node.ready,
      node.upToDate,
      oneLine(node.message),
    ]),
  ]);

/** `Available: False` becomes `NotAvailable`, as kubectl shows it for Nodes. */
const shortStatus = (status: string): string => {
  const [type, value] = status.split(': ');
  if (value === undefined) return status;
  return value === 'True' ? type! : value === 'False' ? `Not${type}` : value;
};

const countsOf = ({ replicas, ready, upToDate }: TreeNode): string => {
  const [have, want] = replicas.split('/');
  if (want === undefined) return '';
  const isRolling = have !== '0' && upToDate !== want;
  return `${ready}/${want} ready${isRolling ? `, ${upToDate} up to date` : ''}`;
};

const detail = (node: TreeNode): string => {
  // A row without a status has nothing but its message.
  const says = isSettled(node) && node.status ? '' : [node.reason, node.message].filter(Boolean).join(': ');
  const took = /^took /.test(node.reason) && isSettled(node) ? node.reason : '';
  return oneLine([countsOf(node), says, took].filter(Boolean).join(' · '));
};

/** The innermost unsettled rows with a message; a running step of the operation before all others. */
export const awaited = (root: TreeNode): TreeNode[] => {
  const open = flatten(root).filter((node) => !isSettled(node) && node.message);
  const innermost = open.filter(
    (node) =>
      !flatten(node)
        .slice(1)
        .some((below) => open.includes(below)),
  );
  const isStep = ({ label }: TreeNode) => label.startsWith('Step/');
  return [...innermost.filter(isStep), ...innermost.filter((node) => !isStep(node))];
};

export interface Area {
  columns: number;
  /** Absent for unlimited height. */
  rows?: number;
}

const tableIn = (tree: TreeNode, columns: number, now: number): string[] => {
  const placed = branches(tree);
  const status = placed.map(({ node }) => shortStatus(node.status));
  const statusWidth = Math.max(6, ...status.map((each) => each.length));
  const nameWidth = Math.max(20, columns - statusWidth - 5 - 6 - 22);
  const names = placed.map(({ node, lead }) => lead + shortName(node.label, nameWidth - lead.length));
  const lines = renderTable(
    [
      ['NAME', 'STATUS', 'SINCE', 'DETAIL'],
      ...placed.map(({ node }, i) => [names[i]!, status[i]!, age(node, now), detail(node)]),
    ],
    '  ',
  ).split('\n');
  return lines.map((line) => cut(line, columns));
};

/** The message of the innermost row, in full where it fits. */
const reasons = (root: TreeNode, columns: number, most: number): string[] => {
  const lines = awaited(root).flatMap(({ label, message }) => wrap(`${shortName(label, 60)}: ${message}`, columns));
  if (lines.length <= most) return lines;
  return most < 1 ? [] : [...lines.slice(0, most - 1), cut(`${lines[most - 1]} …`, columns)];
};

/** A tree for a terminal, within its width and height. `now` in milliseconds. */
export const fitTree = (root: TreeNode, now: number, { columns, rows }: Area): string[] => {
  if (rows === undefined) {
    const why = reasons(root, columns, Number.POSITIVE_INFINITY);
    return [...tableIn(root, columns, now), ...(why.length > 0 ? ['', ...why] : [])];
  }
  const why = reasons(root, columns, Math.floor(rows / 5));
  const foot = why.length > 0 ? why.length + 1 : 0;
  const most = Math.max(1, rows - 1 - foot);
  const { tree, hidden } =
    flatten(root).length <= most ? { tree: root, hidden: [] } : prune(root, Math.max(1, most - 1));
  const unsettled = hidden.filter((node) => !isSettled(node)).length;
  const more =
    unsettled > 0
      ? `… ${hidden.length} more rows, ${unsettled} of them not ready`
      : `… ${hidden.length} more rows, all ready`;
  return [
    ...tableIn(tree, columns, now),
    ...(hidden.length > 0 ? [cut(more, columns)] : []),
    ...(why.length > 0 ? ['', ...why] : []),
  ].slice(0, rows);
};
