/** EKS is allowed where the deployment names roles for it, and nowhere else. */
import { describe, expect, it } from 'vitest';
import { policiesFor } from '../../cdk/permissions/policies.ts';
import { madeRoles } from '../../kinds/ports/cloud/iam/role.ts';
import { resources } from './permissions.fixture.ts';

const role = 'eks-controlplane.cluster-api-provider-aws.sigs.k8s.io';
const statementsOf = (eksRoles: string[], fn: 'reconcile-aws' | 'reconcile-core' = 'reconcile-aws') =>
  Object.values(policiesFor(fn, { ...resources, eksRoles })).flat();
const changes = (eksRoles: string[], fn?: 'reconcile-core') =>
  statementsOf(eksRoles, fn)
    .flatMap(({ actions }) => actions)
    .filter((action) => action.startsWith('eks:') && !/:(Describe|List|Get)/.test(action))
    .sort();

describe('the permissions of EKS', () => {
  it('are none by default', () => expect(changes([])).toEqual([]));

  it('are those of its calls, for the function that acts on the account', () => {
    expect([...new Set(changes([role]))]).toEqual([
      'eks:AssociateAccessPolicy',
      'eks:CreateAccessEntry',
      'eks:CreateAddon',
      'eks:CreateCluster',
      'eks:CreateNodegroup',
      'eks:DeleteAccessEntry',
      'eks:DeleteAddon',
      'eks:DeleteCluster',
      'eks:DeleteNodegroup',
      'eks:DisassociateAccessPolicy',
      'eks:TagResource',
      'eks:UpdateAccessEntry',
      'eks:UpdateAddon',
      'eks:UpdateClusterConfig',
      'eks:UpdateClusterVersion',
      'eks:UpdateNodegroupConfig',
      'eks:UpdateNodegroupVersion',
    ]);
    expect(changes([role], 'reconcile-core')).toEqual([]);
  });

  it('change only what carries or gets this installation’s tag', () => {
    for (const { actions, conditions } of statementsOf([role]))
      if (actions.some((action) => /^eks:(Create|Update|Delete|Associate|Disassociate|Tag)/.test(action)))
        expect(Object.keys(conditions?.StringEquals ?? {}).join()).toMatch(/^aws:(Request|Resource)Tag\/capstan/);
  });

  it('make roles only where the pattern of their names is named, with the policies of EKS', () => {
    const ofRoles = (eksRoles: string[]) =>
      statementsOf(eksRoles).filter(({ actions }) =>
        actions.some((one) => /^iam:.*Role(Policy)?$/.test(one) && !/PassRole|ServiceLinked|Get|List/.test(one)),
      );
    expect(ofRoles([role])).toEqual([]);
    const made = ofRoles([madeRoles]);
    expect(made.flatMap(({ actions }) => actions).sort()).toEqual([
      'iam:AttachRolePolicy',
      'iam:CreateRole',
      'iam:DeleteRole',
      'iam:DetachRolePolicy',
      'iam:TagRole',
    ]);
    for (const { resources: of, conditions } of made) {
      expect(of).toEqual([expect.stringMatching(/:role\/capstan-eks-\*$/)]);
      expect(Object.keys(conditions?.StringEquals ?? {}).join()).toMatch(/^aws:(Request|Resource)Tag\/capstan/);
    }
    const attaches = made.find(({ actions }) => actions.includes('iam:AttachRolePolicy'));
    expect(attaches?.conditions?.ArnEquals?.['iam:PolicyARN']).toHaveLength(4);
  });

  it('pass only the roles that are named, and only to EKS', () => {
    const passes = statementsOf([role]).find(({ sid }) => sid === 'PassesEksRoles');
    expect(passes?.resources).toEqual([expect.stringContaining(`:role/${role}`)]);
    expect(passes?.conditions).toEqual({ StringEquals: { 'iam:PassedToService': ['eks.amazonaws.com'] } });
  });
});
