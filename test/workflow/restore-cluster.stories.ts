/** The behaviour of restore-cluster. Composed by hand, not from the definition; story.ts explains the notation. */
import type { Stories } from './story.ts';

const steps = ['Preflight', 'StopMembers', 'RestoreFirst', 'Join', 'Verify'];
const all = steps.join(' ');
const success = 'Succeeded Done → SUCCEEDED';
/** Every step before this one, and this one. */
const through = (step: string) => steps.slice(0, steps.indexOf(step) + 1).join(' ');
const after = (step: string) => [...steps.slice(steps.indexOf(step) + 1), success].join(' ');

const heldAfter = (error: string) => `Held(${error}) OnHold → FAILED Held`;
const unknown = '*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held';
const undone = 'RolledBack Undone → FAILED NotRestored';
const verdicts = ['StepRefused', 'DeadlineExceeded'];

/** How a task that only records ends when it fails; `before` ends with its name, `then` follows its success. */
const recording = (name: string, before: string, then: string): Stories => [
  [`${name} fails with an unknown error`, `${before}${unknown}`],
  [`${name} loses its token`, `${before}? 5 times +3601 ${name} ${then}`],
  ...[...verdicts, 'Cancelled'].map(
    (error) => [`${name} answered with ${error}`, `${before}!${error} ${heldAfter(error)}`] as const,
  ),
];

export const restoreCluster: Stories = [
  ['every step succeeds', `${all} ${success}`],
  ...steps.flatMap((step): Stories => {
    const story = through(step);
    return [
      // Nothing is changed before the preflight has passed, and nothing can be undone after it.
      ...verdicts.map(
        (error) =>
          [
            `${step} ends with ${error}`,
            `${story}!${error} ${step === 'Preflight' ? undone : heldAfter(error)}`,
          ] as const,
      ),
      [`${step} cancelled`, `${story}!Cancelled Cancelled Abandoned → SUCCEEDED`],
      [`${step} fails with an unknown error`, `${story}${unknown}`],
      [`${step} loses its token`, `${story}? 5 times +3601 ${step} ${after(step)}`],
    ];
  }),
  ...recording('RolledBack', 'Preflight!StepRefused RolledBack', 'Undone → FAILED NotRestored'),
  ...recording('Succeeded', `${all} Succeeded`, 'Done → SUCCEEDED'),
  ...recording('Cancelled', 'Preflight!Cancelled Cancelled', 'Abandoned → SUCCEEDED'),
  // Where even holding fails, the execution fails, and the sweep finds it.
  [
    'Held fails with an unknown error',
    'Preflight StopMembers!StepRefused Held(StepRefused)*AccessDenied 9 times → FAILED AccessDenied',
  ],
  [
    'Held loses its token',
    'Preflight StopMembers!StepRefused Held(StepRefused)? 5 times +3601 Held(StepRefused) OnHold → FAILED Held',
  ],
  ...[...verdicts, 'Cancelled'].map(
    (error) =>
      [
        `Held answered with ${error}`,
        `Preflight StopMembers!StepRefused Held(StepRefused)!${error} → FAILED ${error}`,
      ] as const,
  ),
];
