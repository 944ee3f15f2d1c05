/** Small cases in which each rule of the store matters: without the rule, the case yields a counterexample. */
import type { Scenario } from './store-world.ts';

const second = 1000;
const hour = 3600 * second;

/** Created and removed by one process, so that a name existed and is free again. */
const comeAndGo: Scenario['processes'][string] = async (client) => {
  await client.create('a');
  await client.remove('a');
};

const listTwice: Scenario['processes'][string] = async (client) => {
  await client.list();
  await client.list();
};

export const scenarios = {
  'two patches of one object': {
    before: (client) => client.create('a'),
    processes: { A: (client) => client.patch('a'), B: (client) => client.patch('a') },
  },
  'two writes in the place of what was read': {
    before: (client) => client.create('a'),
    processes: { A: (client) => client.replace('a'), B: (client) => client.replace('a') },
  },
  'a write in the place of what was read while the name comes and goes': {
    before: (client) => client.create('a'),
    processes: {
      A: (client) => client.replace('a'),
      B: async (client) => {
        await client.remove('a');
        await client.create('a');
      },
    },
  },
  'a write in the place of what was read whose outcome is unknown': {
    before: (client) => client.create('a'),
    processes: { A: (client) => client.replace('a'), B: (client) => client.patch('a') },
    fault: { process: 'A', kinds: ['outcome unknown', 'late copy', 'sent twice'] },
  },
  'four writers of one name': {
    before: (client) => client.create('a'),
    processes: {
      A: (client) => client.update('a'),
      B: (client) => client.remove('a'),
      C: (client) => client.create('a'),
      D: (client) => client.create('a'),
    },
  },
  'a creation while the name comes and goes': {
    processes: { A: (client) => client.create('a'), B: comeAndGo },
  },
  'a creation whose copy is late while the name comes and goes': {
    processes: { A: (client) => client.create('a'), B: comeAndGo },
    fault: { process: 'A', kinds: ['late copy'] },
  },
  'a creation whose outcome is unknown while the name comes and goes': {
    processes: { A: (client) => client.create('a'), B: comeAndGo },
    fault: { process: 'A', kinds: ['outcome unknown'] },
  },
  'a transaction that is sent twice': {
    before: (client) => client.create('a'),
    processes: { A: (client) => client.update('a'), B: (client) => client.update('a') },
    fault: { process: 'A', kinds: ['sent twice'] },
  },
  'a list during two writes': {
    before: (client) => client.create('a'),
    processes: {
      A: (client) => client.patch('a'),
      B: (client) => client.create('b'),
      L: (client) => client.list(),
    },
    split: ['A'],
  },
  'pages during writes to what had settled': {
    before: async (client) => {
      await client.create('a');
      await client.create('b');
      await client.list();
      await client.pause(11 * second);
      await client.list();
    },
    processes: {
      A: (client) => client.patch('b'),
      B: (client) => client.remove('b'),
      L: (client) => client.pages(),
    },
    split: ['A'],
  },
  'pages while an object is replaced by a namesake': {
    before: async (client) => {
      await client.create('a');
      await client.create('b');
    },
    processes: {
      B: async (client) => {
        await client.remove('b');
        await client.create('b');
      },
      L: (client) => client.pages(),
    },
    split: ['B'],
  },
  'pages during a write to what the log has forgotten': {
    before: async (client) => {
      await client.create('a');
      await client.create('b');
    },
    processes: {
      A: async (client) => {
        await client.pause(hour);
        await client.replace('b');
      },
      L: async (client) => {
        await client.pause(hour);
        await client.pages();
      },
    },
    jumps: [40 * hour],
  },
  'a list during a removal of what had settled': {
    before: async (client) => {
      await client.create('a');
      await client.list();
      await client.pause(11 * second);
      await client.list();
    },
    processes: { A: (client) => client.remove('a'), L: (client) => client.list() },
    split: ['A'],
  },
  'a watch while one of two writers crashes': {
    processes: {
      A: (client) => client.create('a'),
      B: (client) => client.create('b'),
      W: (client) => client.watch(0),
    },
    crash: ['A'],
  },
  'two watches of one process while a writer crashes': {
    processes: {
      A: (client) => client.create('a'),
      W: async (client) => {
        await Promise.all([client.watch(1), client.watch(0)]);
      },
    },
    crash: ['A'],
  },
  'a watch that joins another one of its process from before a type slept': {
    before: (client) => client.create('a'),
    processes: {
      A: (client) => client.patch('a'),
      W: async (client) => {
        void client.watch(1);
        await client.pause(hour);
        await client.watch(0);
      },
    },
    jumps: [40 * hour],
  },
  'a list while one of two writers crashes or is slow': {
    processes: {
      A: (client) => client.create('a'),
      B: (client) => client.create('b'),
      L: (client) => client.list(),
    },
    crash: ['A'],
    jumps: [1.1 * second],
  },
  'two lists after a write that shows slowly': {
    before: (client) => client.create('a'),
    processes: { A: (client) => client.patch('a'), L: listTwice },
    split: ['A'],
  },
  'lists around a write that is sent late and shows slowly': {
    before: (client) => client.create('a'),
    processes: { A: (client) => client.patch('a'), L: listTwice },
    split: ['A'],
    jumps: [11 * second],
  },
  'lists of a process that writes beside a write that shows slowly': {
    before: (client) => client.create('a'),
    processes: {
      A: (client) => client.patch('a'),
      L: async (client) => {
        await client.list();
        await client.create('b');
        await client.list();
      },
    },
    split: ['A'],
    jumps: [11 * second],
  },
  'lists of a process that slept while its log was forgotten': {
    before: (client) => client.create('a'),
    processes: {
      A: (client) => client.patch('a'),
      L: async (client) => {
        await client.list();
        await client.pause(hour);
        await client.list();
      },
    },
    jumps: [40 * hour],
  },
  'lists of a table that shows transactions whole': {
    before: (client) => client.create('a'),
    processes: { A: (client) => client.remove('a'), B: (client) => client.create('b'), L: listTwice },
    showsTransactionsWhole: true,
  },
  'lists of a writer of a table that shows transactions whole, beside one that crashes': {
    before: (client) => client.create('a'),
    processes: {
      A: (client) => client.patch('a'),
      L: async (client) => {
        await client.list();
        await client.create('b');
        await client.list();
      },
    },
    crash: ['A'],
    showsTransactionsWhole: true,
  },
  'pages of a table that shows transactions whole': {
    before: async (client) => {
      await client.create('a');
      await client.create('b');
      await client.list();
    },
    processes: { A: (client) => client.patch('b'), B: (client) => client.remove('b'), L: (client) => client.pages() },
    showsTransactionsWhole: true,
  },
  'two readers while positions settle': {
    before: (client) => client.create('a'),
    processes: { K: listTwice, L: listTwice },
    jumps: [11 * second],
  },
  'a watch while positions settle': {
    before: (client) => client.create('a'),
    processes: { A: (client) => client.patch('a'), W: (client) => client.watch(1) },
    jumps: [11 * second, 61 * second],
  },
  'a writer that thaws after its slot was sealed and forgotten': {
    processes: {
      A: (client) => client.create('a'),
      B: async (client) => {
        await client.create('b');
        await listTwice(client);
      },
    },
    freeze: ['A'],
    jumps: [40 * hour],
  },
  'readers that thaw after the log was forgotten': {
    processes: {
      A: (client) => client.create('a'),
      B: (client) => client.create('b'),
      L: (client) => client.list(),
    },
    freeze: ['L'],
    jumps: [40 * hour],
  },
  'a watch that thaws after the log was forgotten': {
    processes: {
      A: (client) => client.create('a'),
      B: (client) => client.create('b'),
      W: (client) => client.watch(0),
    },
    freeze: ['W'],
    jumps: [40 * hour],
  },
  'a watch from before a type slept': {
    processes: {
      B: (client) => client.create('b'),
      L: async (client) => {
        await client.pause(hour);
        await client.list();
      },
      W: async (client) => {
        await client.pause(hour);
        await client.watch(0);
      },
    },
    jumps: [40 * hour],
  },
  'a watch from before a type slept, which a writer wakes': {
    before: (client) => client.create('a'),
    processes: {
      A: async (client) => {
        await client.pause(hour);
        await client.patch('a');
      },
      W: async (client) => {
        await client.pause(hour);
        await client.watch(0);
      },
    },
    jumps: [40 * hour],
  },
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** Those with the most orders of steps, which take seconds each. */
export const longest: readonly ScenarioName[] = [
  'four writers of one name',
  'lists around a write that is sent late and shows slowly',
  'lists of a process that writes beside a write that shows slowly',
  'lists of a table that shows transactions whole',
  'pages of a table that shows transactions whole',
  'pages during writes to what had settled',
  'pages during a write to what the log has forgotten',
  'a list during two writes',
  'a list while one of two writers crashes or is slow',
  'a watch that joins another one of its process from before a type slept',
  'a watch that thaws after the log was forgotten',
  'two readers while positions settle',
];
