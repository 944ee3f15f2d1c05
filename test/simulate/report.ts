/** Prints runs for people. */
import type { CampaignResult } from './campaign.ts';
import { catalogue, faultNames } from './faults/index.ts';
import { actionNames } from './scenarios/actions.ts';
import { actionsAt, states } from './scenarios/states.ts';
import type { Outcome } from './simulation.ts';

const lastLines = 40;

const flagsOf = ({ seed, only, clusters, steps, scenario, action, minutes }: Outcome['options']): string =>
  [
    `--seed ${seed}`,
    ...(clusters === undefined ? [] : [`--clusters ${clusters}`]),
    ...(steps === undefined ? [] : [`--steps ${steps}`]),
    ...(minutes === undefined ? [] : [`--minutes ${minutes}`]),
    ...(scenario === undefined ? [] : [`--scenario ${scenario}`]),
    ...(action === undefined ? [] : [`--action '${action}'`]),
    ...(only === undefined ? [] : [`--faults ${only.join(',') || 'none'}`]),
  ].join(' ');

export const failureText = ({ seed, options, failure, story }: Outcome, withStory = true): string =>
  [
    `seed ${seed} broke: ${failure!.invariant}`,
    ...(withStory ? story.slice(-lastLines) : []),
    failure!.message,
    `to repeat: npm run simulate -- ${flagsOf(options)} --story`,
  ].join('\n');

const listed = (names: readonly string[]): string => names.join(' · ');

/**
 * A row for each user action and a column for each state of an operation; also the actions that
 * never occurred.
 */
const matrixOf = (interfered: Record<string, number>): string[] => {
  const countOf = (state: string, action: string) => interfered[`${state} × ${action}`] ?? 0;
  const wide = Math.max(...actionNames.map(({ length }) => length)) + 1;
  const isDone = (action: string) => states.some((state) => countOf(state, action) > 0);
  const cells = (action: string) => states.map((state) => String(countOf(state, action) || '·').padStart(5)).join('');
  const never = actionNames.filter((action) => !isDone(action));
  const pairs = states.flatMap((state) => actionsAt(state).map((action) => countOf(state, action)));
  const edits = Object.entries(interfered).filter(([name]) => editNames.test(name));
  return [
    `${''.padEnd(wide)}${states.map((_, index) => String(index + 1).padStart(5)).join('')}`,
    ...actionNames.filter(isDone).map((action) => `${action.padEnd(wide)}${cells(action)}`),
    listed(states.map((state, index) => `${index + 1} ${state}`)),
    ...(never.length > 0 ? [`Never occurred: ${listed(never)}`] : []),
    `${pairs.filter((count) => count > 0).length} of ${pairs.length} combinations of action and state occurred, and ${edits.length} field edits`,
  ];
};
const editNames = /× (set|unset|minimum|maximum|invalid) /;

const padded = (count: number | undefined) => String(count ?? 0).padStart(9);

export const coverageText = ({
  runs,
  seconds,
  cpuSeconds,
  events,
  virtualHours,
  failures,
  fired,
  coverage,
  from,
  hash,
}: CampaignResult) => {
  const faults = faultNames.map((name) => `${padded(fired[name])}  ${name.padEnd(22)} ${catalogue[name].about}`);
  const boundaries = Object.entries(coverage.crossed).map(([name, count]) => {
    const sum = (counts: Record<string, number>) => (counts[`before ${name}`] ?? 0) + (counts[`after ${name}`] ?? 0);
    return `${padded(count)}${padded(sum(coverage.crashed))}${padded(sum(coverage.frozen))}  ${name}`;
  });
  const perSecond = (runs / cpuSeconds).toFixed(2);
  return [
    'How often each fault struck',
    ...faults,
    '',
    '  crossed  crashed   frozen  at each boundary',
    ...boundaries,
    '',
    'User actions by the state of the operation',
    ...matrixOf(coverage.interfered),
    '',
    `${runs} runs from seed ${from}: ${events} events and ${virtualHours.toFixed(0)} virtual hours in ${seconds.toFixed(0)} s, ${perSecond} runs per CPU second, hash ${hash}`,
    failures.length === 0
      ? 'Nothing broke.'
      : `${failures.length} broke: ${failures.map(({ seed, invariant }) => `${seed} (${invariant})`).join(', ')}`,
  ].join('\n');
};
