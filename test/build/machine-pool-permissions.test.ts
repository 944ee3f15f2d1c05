/** Auto Scaling is allowed where the deployment asks for machine pools, and nowhere else. */
import { describe, expect, it } from 'vitest';
import { policiesFor } from '../../cdk/permissions/policies.ts';
import { resources } from './permissions.fixture.ts';

const statementsOf = (machinePools: boolean, fn: 'reconcile-aws' | 'reconcile-core' = 'reconcile-aws') =>
  Object.values(policiesFor(fn, { ...resources, machinePools })).flat();
const isOfPools = (action: string) => /^autoscaling:|LaunchTemplate|PutSecretValue/.test(action);
const changes = (machinePools: boolean, fn?: 'reconcile-core') =>
  statementsOf(machinePools, fn)
    .flatMap(({ actions }) => actions)
    .filter((action) => isOfPools(action) && !/:(Describe|List|Get)/.test(action));

describe('the permissions of machine pools', () => {
  it('are none by default', () => expect(changes(false)).toEqual([]));

  it('are those of their calls, for the function that acts on the account', () => {
    expect(changes(true)).toEqual(
      expect.arrayContaining([
        'autoscaling:CreateAutoScalingGroup',
        'autoscaling:DeleteAutoScalingGroup',
        'autoscaling:CompleteLifecycleAction',
        'autoscaling:StartInstanceRefresh',
        'ec2:CreateLaunchTemplate',
        'ec2:DeleteLaunchTemplate',
        'secretsmanager:PutSecretValue',
      ]),
    );
    expect(changes(true, 'reconcile-core')).toEqual([]);
  });

  it('change only what carries or gets this installation’s tag', () => {
    for (const { actions, conditions } of statementsOf(true))
      if (actions.some((action) => isOfPools(action) && !/:(Describe|List|Get)/.test(action)))
        expect(Object.keys(conditions?.StringEquals ?? {}).join()).toMatch(/aws:(Request|Resource)Tag\/capstan/);
  });
});
