/** The behaviour of upgrade-cluster. Composed by hand, not from the definition; story.ts explains the notation. */
import type { Stories } from './story.ts';

const steps = [
  'Preflight',
  'Snapshot',
  'ControlPlaneFirst',
  'SoakControlPlane',
  'ControlPlane',
  'AddOns',
  'WorkersCanary',
  'SoakWorkers',
  'Workers',
  'Verify',
];
const all = steps.join(' ');
const success = 'Succeeded Done → SUCCEEDED';
/** Every step before this one, and this one. */
const through = (step: string) => steps.slice(0, steps.indexOf(step) + 1).join(' ');
const after = (step: string) => [...steps.slice(steps.indexOf(step) + 1), success].join(' ');

const undone = 'Decide=RollBack ByPolicy RollBack RolledBack Undone → FAILED RolledBack';
const heldAfter = (error: string) => `Held(${error}) OnHold → FAILED Held`;
const unknown = '*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held';
const verdicts = ['StepRefused', 'DeadlineExceeded'];
const undoing = 'Preflight!StepRefused Decide=RollBack ByPolicy RollBack';

/** How a task that only records ends when it fails; `before` ends with its name, `then` follows its success. */
const recording = (name: string, before: string, then: string): Stories => [
  [`${name} fails with an unknown error`, `${before}${unknown}`],
  [`${name} loses its token`, `${before}? 5 times +3601 ${name} ${then}`],
  ...[...verdicts, 'Cancelled'].map(
    (error) => [`${name} answered with ${error}`, `${before}!${error} ${heldAfter(error)}`] as const,
  ),
];

export const upgradeCluster: Stories = [
  ['every step succeeds', `${all} ${success}`],
  ...steps.flatMap((step): Stories => {
    const story = through(step);
    return [
      ...verdicts.flatMap(
        (error): Stories => [
          [`${step} ends with ${error}, rolled back`, `${story}!${error} ${undone}`],
          [`${step} ends with ${error}, held`, `${story}!${error} Decide=Hold ByPolicy ${heldAfter(error)}`],
          [`${step} ends with ${error}, tried again`, `${story}!${error} Decide=Retry ByPolicy ${all} ${success}`],
        ],
      ),
      [`${step} cancelled`, `${story}!Cancelled Cancelled Abandoned → SUCCEEDED`],
      [`${step} fails with an unknown error`, `${story}${unknown}`],
      [`${step} loses its token`, `${story}? 5 times +3601 ${step} ${after(step)}`],
    ];
  }),
  // The Decide state.
  ['an unknown policy undoes nothing', `Preflight!StepRefused Decide=TearDown ByPolicy ${heldAfter('StepRefused')}`],
  [
    'a missing policy undoes nothing',
    `Preflight!StepRefused Decide 9 times ${heldAfter('States.QueryEvaluationError')}`,
  ],
  ['deciding fails with an unknown error', `Preflight!StepRefused Decide${unknown}`],
  ['deciding loses its token', `Preflight!StepRefused Decide? 5 times +3601 ${undone}`],
  ...[...verdicts, 'Cancelled'].map(
    (error) =>
      [`deciding answered with ${error}`, `Preflight!DeadlineExceeded Decide!${error} ${heldAfter(error)}`] as const,
  ),
  [
    'retried, then rolled back',
    `Preflight Snapshot!StepRefused Decide=Retry ByPolicy Preflight Snapshot ControlPlaneFirst!DeadlineExceeded ${undone}`,
  ],
  [
    'retried, with all retries available again',
    `Preflight*AccessDenied +2 Preflight*AccessDenied +4 Preflight!StepRefused Decide=Retry ByPolicy Preflight${unknown}`,
  ],
  // The rollback.
  ...verdicts.map(
    (error) =>
      [
        `a rollback that ends with ${error} is reported, and continues`,
        `${undoing}!${error} RollBackHeld RollBack RolledBack Undone → FAILED RolledBack`,
      ] as const,
  ),
  ['a rollback cancelled', `${undoing}!Cancelled Cancelled Abandoned → SUCCEEDED`],
  ['a rollback fails with an unknown error', `${undoing}${unknown}`],
  ['a rollback loses its token', `${undoing}? 5 times +3601 RollBack RolledBack Undone → FAILED RolledBack`],
  // Recording tasks are retried, too, and held when they fail.
  ...recording('RollBackHeld', `${undoing}!StepRefused RollBackHeld`, 'RollBack RolledBack Undone → FAILED RolledBack'),
  ...recording('RolledBack', `${undoing} RolledBack`, 'Undone → FAILED RolledBack'),
  ...recording('Succeeded', `${all} Succeeded`, 'Done → SUCCEEDED'),
  ...recording('Cancelled', 'Preflight!Cancelled Cancelled', 'Abandoned → SUCCEEDED'),
  // Where even that fails, the execution fails, and the sweep finds it.
  [
    'Held fails with an unknown error',
    'Preflight!StepRefused Decide=Hold ByPolicy Held(StepRefused)*AccessDenied 9 times → FAILED AccessDenied',
  ],
  [
    'Held loses its token',
    `Preflight!StepRefused Decide=Hold ByPolicy Held(StepRefused)? 5 times +3601 ${heldAfter('StepRefused')}`,
  ],
  ...[...verdicts, 'Cancelled'].map(
    (error) =>
      [
        `Held answered with ${error}`,
        `Preflight!StepRefused Decide=Hold ByPolicy Held(StepRefused)!${error} → FAILED ${error}`,
      ] as const,
  ),
];
