import { describe, expect, it } from 'vitest';
import { ofType, synthesise } from '../test/build/stacks.fixture.ts';
import { settingProblems } from './settings.ts';

const sets = (context: Record<string, unknown>) =>
  ofType(synthesise(context).controlPlane, 'AWS::CloudFormation::StackSet');

describe('events of instances in further regions', () => {
  it('are not forwarded unless a setting names the regions', () => {
    const { controlPlane } = synthesise();
    expect(ofType(controlPlane, 'AWS::CloudFormation::StackSet')).toEqual([]);
    expect(Object.keys(controlPlane.Resources).filter((name) => name.startsWith('Forwarding'))).toEqual([]);
  });

  it('are forwarded by the same pattern, from there alone, and never from the home region to itself', () => {
    const context = { regions: 'us-west-2, eu-west-1' };
    const { controlPlane } = synthesise(context);
    const { Properties } = sets(context)[0]![1];
    expect(Properties).toMatchObject({
      PermissionModel: 'SELF_MANAGED',
      StackSetName: 'capstan-forwarding',
      StackInstancesGroup: [{ Regions: ['us-west-2', 'eu-west-1'] }],
    });
    const { Resources } = JSON.parse(String(Properties.TemplateBody)) as {
      Resources: Record<string, { Properties: Record<string, unknown> }>;
    };
    const here = ofType(controlPlane, 'AWS::Events::Rule').find(([name]) => name.startsWith('InstanceChanges'));
    expect(Resources.Rule?.Properties).toEqual({
      Name: 'capstan-forwarding',
      State: { 'Fn::If': ['IsHome', 'DISABLED', 'ENABLED'] },
      EventPattern: { ...(here?.[1].Properties.EventPattern as object), region: [{ Ref: 'AWS::Region' }] },
      Targets: [{ Id: 'home', Arn: { Ref: 'Bus' }, RoleArn: { Ref: 'Role' } }],
    });
  });

  it('are sent with the permission for one bus', () => {
    const policies = ofType(synthesise({ regions: ['us-west-2'] }).controlPlane, 'AWS::IAM::Policy');
    const text = JSON.stringify(policies.find(([name]) => name.startsWith('ForwardingRole')));
    expect(text).toContain('events:PutEvents');
    expect(text).toContain('event-bus/default');
    const execution = JSON.stringify(policies.find(([name]) => name.startsWith('ForwardingExecution')));
    for (const needed of ['events:TagResource', 'rule/capstan-forwarding', 'stack/StackSet-capstan-forwarding-*'])
      expect(execution).toContain(needed);
  });

  it.each([
    { regions: 'us-west-2,eu-west-1', problems: 0 },
    { regions: '', problems: 0 },
    { regions: 'us-west-2a', problems: 1 },
    { regions: 'Oregon', problems: 1 },
  ])('come from regions, not from "$regions"', ({ regions, problems }) =>
    expect(settingProblems({ regions }, false)).toHaveLength(problems));
});
