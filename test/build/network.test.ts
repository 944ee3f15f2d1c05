import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { evaluated, ofType, synthesise, type Template } from './stacks.fixture.ts';

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: string | string[];
  Condition?: Record<string, Record<string, unknown>>;
}

let template: Template;

// A network is looked up in an account and region.
beforeAll(() => {
  vi.stubEnv('CDK_DEFAULT_ACCOUNT', '111122223333');
  vi.stubEnv('CDK_DEFAULT_REGION', 'eu-west-1');
  template = synthesise({ vpcId: 'vpc-0123456789abcdef0' }).controlPlane;
}, 120_000);
afterAll(() => void vi.unstubAllEnvs());

const list = (value: string | string[]): string[] => [value].flat();
const pseudo = (reference: string) => (reference === 'AWS::Partition' ? 'aws' : reference);

/** The effect of the role of a function in a network on an action. */
const saying = (action: string): Statement[] =>
  ofType(template, 'AWS::IAM::Policy')
    .filter(([id]) => id.startsWith('ReconcileWorkloadRole'))
    .map(([, { Properties }]) => evaluated(Properties.PolicyDocument, pseudo) as { Statement: Statement[] })
    .flatMap(({ Statement: statements }) => statements)
    .filter(({ Action }) => list(Action).includes(action));
const every = 'arn:aws:ec2:eu-west-1:111122223333';

// Lambda checks for permission to delete an interface before one exists, so that nothing is known of it:
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
describe('the role of a function that runs in a network', () => {
  it('may delete any interface, so that the function can be created', () => {
    const allowed = saying('ec2:DeleteNetworkInterface').filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toEqual([{ Effect: 'Allow', Action: 'ec2:DeleteNetworkInterface', Resource: `${every}:*/*` }]);
  });

  it('creates interfaces in that network only', () => {
    const allowed = saying('ec2:CreateNetworkInterface').filter(({ Effect }) => Effect === 'Allow');
    expect(allowed.map(({ Condition }) => Condition)).toEqual([{ ArnEquals: { 'ec2:Vpc': `${every}:vpc/vpc-12345` } }]);
  });

  it.each(['Create', 'Delete'])('denies the function’s code both: %sNetworkInterface', (verb) => {
    const denied = saying(`ec2:${verb}NetworkInterface`).filter(({ Effect }) => Effect === 'Deny');
    expect(denied).toMatchObject([
      {
        Resource: '*',
        Condition: {
          ArnEquals: {
            'lambda:SourceFunctionArn': 'arn:aws:lambda:eu-west-1:111122223333:function:capstan-reconcile-workload',
          },
        },
      },
    ]);
  });
});
