import { duration, renderTable } from '../table.ts';
import type { TreeNode } from './node.ts';

const header = ['NAME', 'REPLICAS', 'AVAILABLE', 'READY', 'UP TO DATE', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'];

const oneLine = (text: string): string => {
  const line = text.replace(/\s*\n\s*/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
};

const rows = (node: TreeNode, now: number, own: string, below: string): string[][] => [
  [
    own + node.label,
    node.replicas,
    node.available,
    node.ready,
    node.upToDate,
    node.status,
    node.reason,
    node.since ? duration(now - Date.parse(node.since)) : '',
    oneLine(node.message),
  ],
  ...node.children.flatMap((child, i) => {
    const last = i === node.children.length - 1;
    return rows(child, now, below + (last ? '└─' : '├─'), below + (last ? '  ' : '│ '));
  }),
];

/** `now` in milliseconds. */
export const renderTree = (root: TreeNode, now: number): string => renderTable([header, ...rows(root, now, '', '')]);
