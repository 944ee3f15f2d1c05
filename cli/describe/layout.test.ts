import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flatten, oneLine, prune, shortName, wrap } from './layout.ts';
import { row, type TreeNode } from './node.ts';
import { fitTree } from './render.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const nodeAbove = (children: fc.Arbitrary<TreeNode[]>): fc.Arbitrary<TreeNode> =>
  fc
    .record({
      label: fc.constantFrom(
        'Machine/a',
        `ControlPlane - KubeadmControlPlane/${'long'.repeat(30)}`,
        'Step/Network',
        '',
      ),
      status: fc.constantFrom('', 'Ready: True', 'Available: False', 'Running', 'Deleting: True', 'Missing'),
      replicas: fc.constantFrom('', '0/3', '3/3'),
      ready: fc.constantFrom('', '0', '3'),
      reason: fc.constantFrom('', 'WaitingForAVeryLongReasonThatNamesEverything'),
      message: fc.oneof(fc.constant(''), fc.string({ maxLength: 300 }), fc.constant('* one\n  * two\u001b[2J\u0007')),
      since: fc.constantFrom(undefined, '2025-12-31T23:00:00Z'),
      children,
    })
    .map((of) => ({ ...row(of.label), ...of }));
const node = [1, 2, 3].reduce((below) => nodeAbove(fc.array(below, { maxLength: 5 })), nodeAbove(fc.constant([])));

describe('a tree in a terminal', () => {
  it('fits into the width and height of the terminal', () => {
    fc.assert(
      fc.property(node, fc.integer({ min: 40, max: 200 }), fc.integer({ min: 6, max: 60 }), (tree, columns, rows) => {
        const lines = fitTree(tree, now, { columns, rows });
        expect(lines.length).toBeLessThanOrEqual(rows);
        expect(lines.filter((line) => line.length > columns)).toEqual([]);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they would move the cursor.
        expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f]/);
      }),
    );
  });

  it('hides ready rows first', () => {
    fc.assert(
      fc.property(node, fc.integer({ min: 1, max: 20 }), (tree, most) => {
        const { tree: shown, hidden } = prune(tree, most);
        const kept = flatten(shown);
        expect(kept.length).toBeLessThanOrEqual(Math.max(1, most));
        expect(kept.length + hidden.length).toBe(flatten(tree).length);
      }),
    );
    const machines = Array.from({ length: 50 }, (_, i) => ({
      ...row(`Machine/${i}`),
      status: `Ready: ${i === 49 ? 'False' : 'True'}`,
    }));
    const { tree, hidden } = prune(row('Cluster/c', machines), 5);
    expect(tree.children.map(({ label }) => label)).toContain('Machine/49');
    expect(hidden).toHaveLength(46);
  });

  it('counts hidden rows', () => {
    const machines = Array.from({ length: 50 }, (_, i) => ({
      ...row(`Machine/${i}`),
      status: `Ready: ${i < 20 ? 'False' : 'True'}`,
    }));
    const lines = fitTree(row('Cluster/c', machines), now, { columns: 80, rows: 12 });
    expect(lines.at(-1)).toBe('… 41 more rows, 11 of them not ready');
  });

  it('shows the status before details, and the whole message of a pending condition below', () => {
    const message = 'Waiting for NAT gateway nat-0123456789 in us-east-1a to become available; it is pending';
    const step = { ...row('Step/Network'), status: 'Running', since: '2025-12-31T23:59:00Z', message };
    const lines = fitTree(row('Cluster/c', [step]), now, { columns: 60 });
    expect(lines[0]).toMatch(/^NAME +STATUS +SINCE +DETAIL$/);
    expect(lines[2]).toMatch(/^└─Step\/Network +Running +60s +Waiting for NAT/);
    expect(lines.slice(4).join(' ')).toBe(`Step/Network: ${message}`);
  });
});

it.each([
  { label: 'ControlPlane - KubeadmControlPlane/a', width: 40, is: 'KCP/a' },
  { label: 'MachineDeployment/workers', width: 40, is: 'MD/workers' },
  { label: 'Machine/quickstart-workers-abcde-fghij', width: 20, is: 'Machine/qu…cde-fghij' },
  { label: '3 Machines...', width: 40, is: '3 Machines...' },
])('shortens $label to $is', ({ label, width, is }) => expect(shortName(label, width)).toBe(is));

it('keeps a message on one line and removes control characters', () =>
  expect(oneLine('* a\n  * b\u001b[2J\u0007')).toBe('* a * b'));

it('breaks text between words, and cuts a word that is too long', () =>
  expect(wrap('one two threefourfive', 8)).toEqual(['one two', 'threefo…']));
