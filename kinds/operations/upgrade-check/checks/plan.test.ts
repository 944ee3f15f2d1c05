import { expect, it } from 'vitest';
import { cases, deployment, facts, machine, planes, ready, workers } from './findings.fixture.ts';
import { planUpgrade } from './plan.ts';

it.each(cases)('an upgrade finds $rule', ({ of, target, codes }) =>
  expect(planUpgrade(facts(of, target)).findings.map(({ level, code }) => `${level} ${code}`)).toEqual(codes));

it('a finding names all objects with the same fault, the first ten of many', () => {
  const machines = Array.from({ length: 12 }, (_, i) => machine(`m${i + 10}`, workers, {}));
  const [found, ...others] = planUpgrade(facts({ machines })).findings;
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    code: 'MachineNotReady',
    object: `${machines
      .slice(0, 10)
      .map(({ metadata }) => `Machine ${metadata.name}`)
      .join(', ')} and 2 more`,
  });
});

it.each(['v1.34.0', 'v1.37.0'])('no Machine is replaced by an upgrade to %s, which is refused', (target) => {
  const { refused, stages, seconds } = planUpgrade(facts({ machines: [machine('old', planes)] }, target));
  expect({ refused, stages, seconds }).toEqual({
    refused: [target === 'v1.34.0' ? 'VersionIsLower' : 'MinorSkipped'],
    stages: [],
    seconds: 0,
  });
});

it('replaces the control plane first, oldest Machine first, and estimates by the duration of earlier machines', () => {
  const plan = planUpgrade(
    facts({
      machines: [
        machine('young', { ...planes, creationTimestamp: '2026-01-01T10:01:00Z' }),
        machine('old', planes),
        machine('new', planes, ready, 'v1.36.1'),
        machine('w1', workers),
        machine('w2', workers),
        machine('w3', workers),
      ],
      machineDeployments: [deployment('v1.35.2', { rollout: { strategy: { rollingUpdate: { maxSurge: 2 } } } })],
    }),
  );
  // The machines took 120 to 240 seconds, with a median of 180; each removal takes 90 more.
  expect(plan.stages).toEqual([
    { of: 'control plane', machines: ['old', 'young'], seconds: 540 },
    { of: 'web', machines: ['w1', 'w2', 'w3'], seconds: 540 },
  ]);
  expect(plan.seconds).toBe(1080);
});
