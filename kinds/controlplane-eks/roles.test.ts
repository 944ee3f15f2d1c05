import { expect, it } from 'vitest';
import type { Failure } from '../../machinery/api/reconcile.ts';
import { evidence, purposeTag, tagList } from '../infrastructure-aws/engine/tags.ts';
import { madeRoleName, type ObservedRole, planRole, removeRole, type Whose } from './roles.ts';

const of: Whose = {
  owner: { installation: 'here', clusterUid: 'a', clusterName: 'mine', additionalTags: {} },
  region: 'eu-central-1',
  wanted: {
    purpose: 'role/x',
    standard: 'standard',
    service: 'eks.amazonaws.com',
    policies: ['AmazonEKSClusterPolicy', 'AmazonEKS_CNI_Policy'],
  },
};
const [a, b] = of.wanted.policies.map((name) => `arn:aws:iam::aws:policy/${name}`) as [string, string];
const made = (tags: Record<string, string>, attached: string[]): ObservedRole => ({
  state: 'made',
  role: { RoleName: madeRoleName(of), Arn: 'arn:made', Tags: tagList(tags) },
  attached,
});
const proof = { ...evidence(of.owner), [purposeTag]: 'role/x' };
const refused = (operation: string): Failure => ({
  port: 'cloud',
  operation,
  code: 'AccessDenied',
  message: 'no',
  at: 0,
});
const calls = (actions: readonly object[] = []) =>
  actions.map((action) => {
    const { operation, input } = action as { operation: string; input: { input: { PolicyArn?: string } } };
    return [operation, input.input.PolicyArn?.split('/').at(-1)].filter(Boolean).join(' ');
  });

it.each<{ rule: string; role: ObservedRole; failure?: Failure; is: object; does?: string[] }>([
  { rule: 'takes the role that exists', role: { state: 'given', arn: 'arn:b' }, is: { state: 'ready', arn: 'arn:b' } },
  {
    rule: 'makes none in place of one that the spec names',
    role: { state: 'missing', name: 'theirs' },
    is: {
      state: 'failed',
      message: expect.stringMatching(
        /^Role theirs does not exist: .*policies AmazonEKSClusterPolicy and AmazonEKS_CNI_Policy.*spec\.roleName$/,
      ),
    },
  },
  {
    rule: 'makes one',
    role: { state: 'absent' },
    is: { isRefused: false },
    does: ['CreateRole', 'AttachRolePolicy AmazonEKSClusterPolicy', 'AttachRolePolicy AmazonEKS_CNI_Policy'],
  },
  {
    rule: 'names the field and the context where it may not',
    role: { state: 'absent' },
    failure: refused('CreateRole'),
    is: {
      isRefused: true,
      message: expect.stringMatching(
        /AccessDenied: no: .*spec\.roleName, or deploy with --context eksRoles=capstan-eks-\*$/,
      ),
    },
  },
  {
    rule: 'attaches what is missing',
    role: made(proof, [a]),
    is: { state: 'made' },
    does: ['AttachRolePolicy AmazonEKS_CNI_Policy'],
  },
  { rule: 'takes the one that it made', role: made(proof, [a, b]), is: { state: 'ready', arn: 'arn:made' } },
  { rule: 'never takes another’s of that name', role: made({}, [a, b]), is: { state: 'failed' } },
  {
    rule: 'never takes that of another pool',
    role: made({ ...proof, [purposeTag]: 'role/y' }, [a, b]),
    is: { state: 'failed' },
  },
])('$rule', ({ role, failure, is, does = [] }) => {
  const plan = planRole(of, role, failure)!;
  expect(plan).toMatchObject(is);
  if (!failure) expect(calls('actions' in plan ? plan.actions : [])).toEqual(does);
});

it.each<{ rule: string; role: ObservedRole; isGone: boolean; does: string[] }>([
  {
    rule: 'removes the one that it made',
    role: made(proof, [a]),
    isGone: false,
    does: ['DetachRolePolicy AmazonEKSClusterPolicy', 'DeleteRole'],
  },
  { rule: 'leaves another’s of that name', role: made({}, [a]), isGone: true, does: [] },
  { rule: 'is done without one', role: { state: 'absent' }, isGone: true, does: [] },
  { rule: 'is not done while it cannot be read', role: { state: 'unreadable', reason: 'no' }, isGone: false, does: [] },
])('$rule', ({ role, isGone, does }) => {
  const removal = removeRole(of, role, undefined)!;
  expect([removal.isGone, calls(removal.actions)]).toEqual([isGone, does]);
});

it('keeps within the names that IAM takes and the deployment allows', () => {
  const name = madeRoleName({
    ...of,
    owner: { ...of.owner, clusterName: 'of.a.team-with-a-very-long-name-for-a-cluster' },
  });
  expect(name).toMatch(/^capstan-eks-[\w-]+-[0-9a-f]{12}$/);
  expect(name.length).toBeLessThanOrEqual(64);
});
