import { beforeEach, describe, expect, it } from 'vitest';
import type { Freeze, Mark } from '../../kinds/ports/installation.ts';
import type { Table } from '../../machinery/ports.ts';
import { memoryTable } from '../memory/table.ts';
import { virtualClock } from '../memory/virtual-clock.ts';
import { marked } from './marked.ts';
import { openPosition, type Position } from './position.ts';

let table: Table;
let mark: Mark | undefined;
/** The highest mark ever written, when that is not the current one. */
let furthest: Mark | undefined;
let isEmpty: boolean;
let held: string[];
let writes: string[];
/** The process dies before this write, counted from 1. */
let diesBefore: number;
let seen: (Freeze | undefined)[];

const key = { pk: 'position', sk: 'installation' };
const stored = async () => (await table.get(key, { consistent: true }))?.n;
const write = (what: string) => {
  if (writes.length + 1 >= diesBefore) throw new Error('died');
  writes.push(what);
};

const open = (): Position =>
  openPosition({
    installation: 'here',
    table: {
      ...table,
      write: async (change) => {
        write('objects');
        return table.write(change);
      },
    },
    marker: {
      read: async () => mark,
      furthest: async () => furthest ?? mark,
      write: async (next) => {
        write('account');
        mark = next;
      },
    },
    isEmpty: async () => isEmpty,
    regionsHeld: async () => held,
    log: { info: () => {}, error: () => {} },
    onChange: (freeze) => seen.push(freeze),
  });

beforeEach(() => {
  table = memoryTable({ clock: virtualClock(0) });
  mark = undefined;
  furthest = undefined;
  isEmpty = false;
  held = [];
  writes = [];
  diesBefore = Number.POSITIVE_INFINITY;
  seen = [];
});

describe('the position', () => {
  it('advances before the first act, and then once for all acts between two changes of objects', async () => {
    const position = open();
    expect(await position.check()).toEqual({ regions: [] });
    await position.before('eu-central-1');
    expect(mark).toEqual({ position: 1, regions: ['eu-central-1'] });
    expect(await stored()).toBe(1);
    await position.before('eu-central-1');
    await position.before();
    expect(mark?.position).toBe(1);
    position.changed();
    position.changed();
    await position.before();
    await position.before();
    expect(mark).toEqual({ position: 2, regions: ['eu-central-1'] });
    expect(await stored()).toBe(2);
    expect(writes).toEqual(['objects', 'account', 'objects', 'account']);
  });

  it('records a new region before the first call there', async () => {
    const position = open();
    await position.before('us-east-1');
    await position.before('eu-central-1');
    expect(mark?.regions).toEqual(['eu-central-1', 'us-east-1']);
    expect(await position.check()).toEqual({ regions: ['eu-central-1', 'us-east-1'] });
  });

  it('advances once for concurrent acts', async () => {
    const position = open();
    await Promise.all([1, 2, 3].map(() => position.before('eu-central-1')));
    expect(mark?.position).toBe(1);
  });

  it.each([1, 2])('survives a crash before write %s of an advance', async (n) => {
    await open().before('eu-central-1');
    diesBefore = writes.length + n;
    const position = open();
    await expect(position.before()).rejects.toThrow('died');
    diesBefore = Number.POSITIVE_INFINITY;
    for (const next of [position, open()]) {
      expect((await next.check()).freeze).toBeUndefined();
      await next.before();
      expect(await stored()).toBe(mark?.position);
    }
  });

  it('makes a copy of the table stale with the first act after a crash', async () => {
    await open().before();
    diesBefore = writes.length + 2;
    const position = open();
    await expect(position.before()).rejects.toThrow('died');
    diesBefore = Number.POSITIVE_INFINITY;
    const copy = await stored();
    position.changed();
    await position.before();
    await table.write({ put: { ...key, n: copy! } });
    expect((await open().check()).freeze?.reason).toBe('ObjectsOlder');
  });
});

describe('a freeze', () => {
  const acted = async (times: number) => {
    const position = open();
    for (let i = 0; i < times; i++) {
      position.changed();
      await position.before('eu-central-1');
    }
  };

  it('blocks every mutating call and is announced once', async () => {
    await acted(3);
    await table.write({ put: { ...key, n: 1 } });
    const position = open();
    const calls: string[] = [];
    const port = marked({ read: async () => 'seen', call: async (operation) => void calls.push(operation) }, position);
    for (const _ of [1, 2])
      await expect(port.call('RunInstances', { region: 'eu-central-1' })).rejects.toMatchObject({
        code: 'InstallationFrozen',
        consequence: 'wait',
        // The installation held the call back; neither the cloud nor a cluster refused it.
        refusedBy: 'installation',
      });
    expect(await port.read('DescribeInstances', { region: 'eu-central-1' })).toBe('seen');
    expect(calls).toEqual([]);
    expect(mark?.position).toBe(3);
    expect(seen).toHaveLength(1);
    await position.thaw(position.freeze!.id);
    await port.call('RunInstances', { region: 'eu-central-1' });
    expect(calls).toEqual(['RunInstances']);
    expect(seen.map((freeze) => freeze?.reason)).toEqual(['ObjectsOlder', undefined]);
  });

  it('stops a running process when another process acted with other objects', async () => {
    await acted(2);
    const position = open();
    await position.before();
    mark = { position: 9, regions: [] };
    position.changed();
    await expect(position.before()).rejects.toThrow('ObjectsOlder');
    expect(position.freeze?.reason).toBe('ObjectsOlder');
  });

  it('is lifted only by its own ID', async () => {
    await acted(3);
    await table.write({ put: { ...key, n: 1 } });
    const position = open();
    await position.thaw('other');
    const { freeze } = await position.check();
    expect(freeze).toBeDefined();
    await position.thaw(freeze!.id);
    expect((await position.check()).freeze).toBeUndefined();
  });

  it.each([
    { what: 'objects are older', prepare: async () => void (await table.write({ put: { ...key, n: 1 } })) },
    { what: 'objects are lost', prepare: async () => void (await table.write({ delete: key })) },
    {
      what: 'the account is older',
      prepare: async () => {
        mark = { position: 1, regions: [] };
      },
    },
    {
      what: 'the account knows nothing',
      prepare: async () => {
        mark = undefined;
      },
    },
  ])('stays lifted when $what, across restarts and a crash during the thaw', async ({ prepare }) => {
    await acted(5);
    await prepare();
    const { freeze } = await open().check();
    diesBefore = writes.length + 2;
    await open()
      .thaw(freeze!.id)
      .catch(() => undefined);
    diesBefore = Number.POSITIVE_INFINITY;
    expect((await open().check()).freeze).toBeUndefined();
    await open().before();
    expect((await open().check()).freeze).toBeUndefined();
    expect(await stored()).toBe(mark?.position);
  });

  it('occurs for lost objects without a mark in the account, and persists when objects are added', async () => {
    isEmpty = true;
    held = ['eu-central-1'];
    const before = await open().check();
    expect(before).toMatchObject({ freeze: { reason: 'ObjectsLost' }, regions: ['eu-central-1'] });
    isEmpty = false;
    expect(await open().check()).toEqual(before);
  });

  it('occurs for restored objects even when a stale process overwrote the newest mark', async () => {
    await acted(5);
    furthest = mark;
    mark = { position: 2, regions: ['eu-central-1'] };
    await table.write({ put: { ...key, n: 2 } });
    expect((await open().check()).freeze?.reason).toBe('ObjectsOlder');
  });

  it('does not occur for an installation older than positions, nor for a new one', async () => {
    held = ['eu-central-1'];
    expect((await open().check()).freeze).toBeUndefined();
    isEmpty = true;
    held = [];
    expect((await open().check()).freeze).toBeUndefined();
    expect(writes).toEqual([]);
  });
});
