import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { TreeNode } from './describe/tree.ts';
import { openScreen } from './live.ts';

const node = (label: string, status: string, children: TreeNode[] = []): TreeNode => ({
  label,
  replicas: '',
  available: '',
  ready: '',
  upToDate: '',
  status,
  reason: '',
  since: undefined,
  message: '',
  children,
});

const output = (size: { isTTY: boolean; rows?: number; columns?: number }) => {
  const written: string[] = [];
  const out = Object.assign(new EventEmitter(), size, { write: (text: string) => written.push(text) > 0 });
  return { screen: openScreen(out as unknown as NodeJS.WriteStream), written };
};

describe('the live tree', () => {
  it('writes one line a change into a pipe', () => {
    const { screen, written } = output({ isTTY: false });
    screen.show(node('Cluster/c', 'Available: False', [node('Machine/m', 'Ready: False')]));
    screen.show(node('Cluster/c', 'Available: False', [node('Machine/m', 'Ready: True')]));
    screen.show(undefined);
    expect(written).toEqual([
      'Cluster/c Available: False\n',
      'Machine/m Ready: False\n',
      'Machine/m Ready: True\n',
      'Cluster/c gone\n',
      'Machine/m gone\n',
    ]);
  });

  it('draws again in place on a terminal', () => {
    const { screen, written } = output({ isTTY: true, rows: 50, columns: 120 });
    screen.show(node('Cluster/c', 'Available: False'));
    screen.show(node('Cluster/c', 'Available: True'));
    expect(written[1]!.startsWith('\u001b[2A\u001b[0J')).toBe(true);
    expect(written[1]).toContain('Available: True');
  });

  it('cuts what does not fit, and guesses a size that is not told', () => {
    const many = Array.from({ length: 80 }, (_, i) => node(`Machine/m${i}`, 'Ready: True'));
    const small = output({ isTTY: true, rows: 10, columns: 20 });
    small.screen.show(node('Cluster/c', '', many));
    const lines = small.written[0]!.trimEnd().split('\n');
    expect(lines).toHaveLength(9);
    expect(Math.max(...lines.slice(1).map((line) => line.length))).toBeLessThan(20);
    const unknown = output({ isTTY: true, rows: 0, columns: 0 });
    unknown.screen.show(undefined);
    expect(unknown.written[0]).toContain('(gone)');
  });
});
