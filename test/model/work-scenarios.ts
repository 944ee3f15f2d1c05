/** What may happen to a work item: `test/model/work.test.ts` explores every order of it. */
import type { Scenario } from './work-world.ts';

const s = 1000;
const finished = { ends: 'finished' } as const;

export const scenarios = {
  'changes at any moment': { foreign: 2, passes: [] },
  'a message twice': { foreign: 2, passes: [], duplicates: 1 },
  'a crash anywhere': { foreign: 2, passes: [], crashes: 1 },
  'a crash after a stall': { foreign: 1, passes: [], crashes: 1, stalls: 2 },
  'own writes': { foreign: 1, passes: [{ ...finished, ownWrite: true }] },
  'own writes of a failing pass': { foreign: 1, passes: [{ ends: 'failed', ownWrite: true }] },
  'a change during a backoff': { foreign: 2, passes: [{ ends: 'failed' }] },
  'a due time': {
    foreign: 1,
    passes: [
      { ...finished, due: 20 * s },
      { ...finished, due: 40 * s },
    ],
    stalls: 1,
  },
  'a change while a timer is under way': {
    foreign: 1,
    timer: 20 * s,
    passes: [{ ...finished, due: 40 * s }],
    stalls: 1,
  },
  'a due time and a change': { foreign: 2, passes: [{ ...finished, due: 20 * s }] },
  'a due time that passes before its pass is finished': {
    foreign: 1,
    passes: [
      { ...finished, due: 3 * s },
      { ...finished, due: 20 * s },
    ],
    stalls: 2,
  },
  'a timer whose pass was never finished': {
    foreign: 1,
    passes: [{ ...finished, due: 20 * s }],
    stalls: 1,
    crashes: 1,
  },
  'a due time and a crash': { foreign: 1, passes: [{ ...finished, due: 400 * s }], crashes: 1 },
  'a due time longer than any delay': { foreign: 1, passes: [{ ...finished, due: 2000 * s }], duplicates: 1 },
  'a due time that is left to the sweep': {
    foreign: 2,
    passes: [{ ...finished, due: 4000 * s }],
    sweepsRegularly: true,
    crashes: 1,
  },
  'a due time under skewed clocks': { foreign: 1, passes: [{ ...finished, due: 3 * s }], skew: 2 * s, stalls: 1 },
  'a later due time under skewed clocks': { foreign: 1, passes: [{ ...finished, due: 9 * s }], skew: 2 * s },
  'a due time that is always near': {
    foreign: 2,
    passes: Array.from({ length: 6 }, () => ({ ...finished, due: 3 * s })),
    workers: 1,
  },
  'changes that may wait': { foreign: 3, after: 5, passes: [], workers: 1 },
  'changes that may wait, twice': { foreign: 2, after: 5, passes: [], duplicates: 1 },
  'changes that may wait, and a crash': { foreign: 2, after: 5, passes: [], crashes: 1 },
  'changes that may wait, and a stall': { foreign: 2, after: 5, passes: [], stalls: 1 },
  'changes that may wait, and a backoff': { foreign: 2, after: 5, passes: [{ ends: 'failed' }] },
  'changes that may wait, and a conflict': { foreign: 2, after: 5, passes: [{ ends: 'conflict' }] },
  'changes that may wait, and an object that comes back': { foreign: 2, after: 5, passes: [{ ends: 'gone' }] },
  'changes that may wait, lost': { foreign: 2, after: 5, passes: [], losses: 1, sweeps: 1 },
  'changes that may wait, while a pass runs': { foreign: 3, after: 5, passes: [] },
  'changes that may all wait, one of them dispatched twice': {
    foreign: 2,
    after: 5,
    defersFirst: true,
    passes: [],
    crashes: 1,
    workers: 1,
  },
  'changes that may wait under skewed clocks': { foreign: 3, after: 5, passes: [], skew: 2 * s, workers: 1 },
  'changes that wait for a debounced item': {
    foreign: 3,
    after: 5,
    passes: [{ ...finished, debouncedUntil: 20 * s }],
    workers: 1,
  },
  'changes that wait for a debounced item, a due time and a crash': {
    foreign: 2,
    after: 5,
    passes: [{ ...finished, debouncedUntil: 20 * s, due: 30 * s }],
    crashes: 1,
  },
  'a zombie': { foreign: 1, passes: [finished, { ...finished, due: 300 * s }], stalls: 1 },
  conflicts: { foreign: 1, passes: [{ ends: 'conflict' }, { ends: 'conflict' }], crashes: 1 },
  'an object that goes and comes back': { foreign: 2, passes: [{ ends: 'gone' }, { ends: 'gone' }], crashes: 1 },
  'lost messages and a sweep': { foreign: 1, passes: [{ ...finished, due: 60 * s }], losses: 1, sweeps: 1 },
  'a copy of a crashed worker and a sweep': { foreign: 1, passes: [], duplicates: 1, crashes: 1, sweeps: 1 },
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** Those with so many orders that only the long tests explore them all. */
export const large: readonly ScenarioName[] = [
  'a due time that passes before its pass is finished',
  'a due time that is left to the sweep',
  'changes that may wait',
  'changes that may wait, and a crash',
  'changes that may wait, and a stall',
  'changes that may wait, while a pass runs',
  'changes that may wait under skewed clocks',
  'changes that wait for a debounced item',
  'changes that wait for a debounced item, a due time and a crash',
  'a crash after a stall',
  'an object that goes and comes back',
  'a change while a timer is under way',
];
