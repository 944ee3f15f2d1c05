/** An upgrade whose workflow is stopped, or loses its tokens, at each of its steps. */

import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { upgradeSteps } from '../../kinds/operations/upgrade/step-names.ts';
import { expectWhole, isSettled } from '../system/checks.ts';
import { settledMoment } from '../system/moments.ts';
import { controlPlane, openUpgrade, type Upgrading } from '../system/upgrade.fixture.ts';
import type { Moment } from '../system/world.ts';

let quickstart: Moment;
let upgrade: Upgrading;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => upgrade.world.end());

/** Paused before the step, so that the step is reached and not passed. */
const openBefore = async (step: string, seed: number) => {
  upgrade = await openUpgrade(quickstart, seed);
  await upgrade.annotate({ 'capstan.dev/upgrade-pause': step });
  await upgrade.toVersion('v1.36.0');
  await upgrade.atStep(step);
  await upgrade.world.pass(0.5);
};
const expectUpgraded = async () => {
  await upgrade.annotate({ 'capstan.dev/upgrade-pause': null });
  await upgrade.world.until('upgraded', () => upgrade.phases().at(-1) === 'Succeeded', 90);
  await upgrade.world.until('settled', () => isSettled(upgrade.world), 30);
  expect(upgrade.versions()).toEqual(['v1.36.0']);
  expect(upgrade.targets()).toEqual({});
  expectWhole(upgrade.world);
};

const stopWorkflow = async () => {
  const { spec, status } = upgrade.upgrades().at(-1)!;
  const stopped = {
    definition: `${spec!.type}-cluster`,
    name: status!.execution!,
    error: 'Operator',
    cause: 'stopped by hand',
  };
  await upgrade.world.system.operations.workflows.stop(stopped);
  await upgrade.world.pass(1);
};

const beforeTheLast = upgradeSteps.slice(0, -1).map((step, i) => [step, i + 1] as const);

describe.each(beforeTheLast)('an upgrade before %s', (step, seed) => {
  it('is held when its workflow is stopped, and upgraded on request', async () => {
    await openBefore(step, seed);
    await stopWorkflow();
    expect(upgrade.phases()).toEqual(['Held']);
    expect(upgrade.message()).toContain('capstan retry cluster quickstart -n default');
    const version = upgrade.world.find('KubeadmControlPlane', controlPlane)?.spec?.version;
    expect(version).toBe('v1.36.0');
    await upgrade.annotate({ 'capstan.dev/upgrade-pause': null, 'capstan.dev/retry': 'again' });
    await upgrade.world.until('a second attempt', () => upgrade.phases().length === 2, 5);
    await expectUpgraded();
  });

  it('goes on when its process dies', async () => {
    await openBefore(step, seed);
    await upgrade.world.restart();
    await expectUpgraded();
    expect(upgrade.phases()).toEqual(['Succeeded']);
  });
});

it('an upgrade whose workflow is stopped before its last step has succeeded anyway', async () => {
  await openBefore('Verify', 11);
  await stopWorkflow();
  await expectUpgraded();
  expect(upgrade.phases()).toEqual(['Succeeded']);
});
