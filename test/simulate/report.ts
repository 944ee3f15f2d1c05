/** What people read of runs. */
import type { CampaignResult } from './campaign.ts';
import { catalogue, faultNames } from './faults/index.ts';
import type { Outcome } from './simulation.ts';

const lastLines = 40;

const flagsOf = ({ seed, only, clusters = 1, steps, scenario }: Outcome['options']): string =>
  [
    `--seed ${seed}`,
    ...(clusters === 1 ? [] : [`--clusters ${clusters}`]),
    ...(steps === undefined ? [] : [`--steps ${steps}`]),
    ...(scenario === undefined ? [] : [`--scenario ${scenario}`]),
    ...(only === undefined ? [] : [`--faults ${only.join(',') || 'none'}`]),
  ].join(' ');

export const failureText = ({ seed, options, failure, story }: Outcome, withStory = true): string =>
  [
    `seed ${seed} broke: ${failure!.invariant}`,
    ...(withStory ? story.slice(-lastLines) : []),
    failure!.message,
    `again: npm run simulate -- ${flagsOf(options)} --story`,
  ].join('\n');

const padded = (count: number | undefined) => String(count ?? 0).padStart(9);

export const coverageText = ({
  runs,
  seconds,
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
  const interfered = Object.entries(coverage.interfered).map(([name, count]) => `${padded(count)}  ${name}`);
  const perSecond = (runs / seconds).toFixed(2);
  return [
    'How often each fault struck',
    ...faults,
    '',
    '  crossed  crashed   frozen  at each boundary',
    ...boundaries,
    '',
    'What users did in which state of an operation',
    ...interfered,
    '',
    `${runs} runs from seed ${from}: ${events} events and ${virtualHours.toFixed(0)} virtual hours in ${seconds.toFixed(0)} s, ${perSecond} a second, hash ${hash}`,
    failures.length === 0
      ? 'Nothing broke.'
      : `${failures.length} broke: ${failures.map(({ seed, invariant }) => `${seed} (${invariant})`).join(', ')}`,
  ].join('\n');
};
