import { App } from 'aws-cdk-lib';
import nag from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { acknowledgementsOf } from '../../cdk/acknowledged/index.ts';
import { createStacks, unexplainedStacks } from '../../cdk/stacks.ts';
import { withCode } from './stacks.fixture.ts';

/** The context of a new account, and one with all optional settings. */
const deployments: Record<string, Record<string, unknown>> = {
  'by default': {},
  'with traces': { tracing: 'true' },
  'with everything': {
    alarmEmail: 'someone@example.com',
    domainName: 'capstan.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/a',
    frontDomainName: 'front.example.com',
    frontCertificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/b',
    vpcId: 'vpc-0123456789abcdef0',
    emptyDefaultGroups: 'true',
    accountLogging: 'true',
  },
};

interface Finding {
  rule: string;
  path: string;
}

const findingsIn = (app: App): Finding[] =>
  [nag.AwsSolutionsChecks, nag.NIST80053R5Checks, nag.ServerlessChecks].flatMap((Pack) =>
    new Pack(app)
      .validateScope(app)
      .violations.flatMap(({ ruleName: rule, violatingResources }) =>
        violatingResources.map(({ constructPath = '' }) => ({ rule, path: constructPath })),
      ),
  );

const explained = (context: Record<string, unknown>): Finding[] =>
  withCode((code, outdir) => {
    const app = new App({ outdir, context });
    createStacks(app, code);
    app.synth();
    return findingsIn(app);
  });

/** The same stacks without suppressions. */
const unexplained = (context: Record<string, unknown>): { found: Finding[]; acknowledged: Finding[] } =>
  withCode((code, outdir) => {
    const app = new App({ outdir, context });
    const stacks = unexplainedStacks(app, code);
    app.synth();
    const acknowledged = acknowledgementsOf(stacks).flatMap(([stack, acknowledgements]) =>
      acknowledgements.flatMap(({ rules, of }) =>
        rules.flatMap((rule) => of.map((path) => ({ rule, path: `${stack.node.path}/${path}` }))),
      ),
    );
    return { found: findingsIn(app), acknowledged };
  });

const isAbout = (acknowledged: Finding, found: Finding) =>
  acknowledged.rule === found.rule &&
  (found.path === acknowledged.path || found.path.startsWith(`${acknowledged.path}/`));

// A network is looked up in an account and region.
beforeAll(() => {
  vi.stubEnv('CDK_DEFAULT_ACCOUNT', '111122223333');
  vi.stubEnv('CDK_DEFAULT_REGION', 'eu-west-1');
});
afterAll(() => void vi.unstubAllEnvs());

describe('cdk-nag', () => {
  it.each(Object.entries(deployments))('finds nothing that is not suppressed with a reason, %s', (_, context) =>
    expect(explained(context)).toEqual([]));

  it('reports every suppressed finding, and checks every resource', () => {
    const all = Object.values(deployments).map(unexplained);
    const found = all.flatMap((one) => one.found);
    const stale = all
      .flatMap((one) => one.acknowledged)
      .filter((acknowledged) => !found.some((one) => isAbout(acknowledged, one)));
    expect(stale).toEqual([]);
    expect(found.length).toBeGreaterThan(100);
  });
});
