/** Checks every statement of every role in the templates, as it is deployed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it } from 'vitest';
import { functionNames } from '../../cdk/names.ts';
import { type Exception, exceptions } from '../../cdk/permissions/exceptions.ts';
import { isRead } from '../../cdk/permissions/statement.ts';
import { createStacks } from '../../cdk/stacks.ts';

const code = mkdtempSync(join(tmpdir(), 'capstan-policies-'));
for (const name of functionNames) {
  mkdirSync(join(code, name));
  writeFileSync(join(code, name, 'index.mjs'), 'export const handler = () => undefined;\n');
}
afterAll(() => rmSync(code, { recursive: true, force: true }));

interface Statement {
  role: string;
  effect: string;
  actions: string[];
  resources: string[];
  conditions: Record<string, Record<string, string | string[]>>;
}

const pseudo: Record<string, string> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-central-1',
  'AWS::AccountId': '123456789012',
  'AWS::URLSuffix': 'amazonaws.com',
};
/** Resolves a value, with placeholders for what is only known at deployment. */
const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': joined, 'Fn::Sub': sub } = value as Record<string, unknown>;
  if (typeof Ref === 'string') return pseudo[Ref] ?? `<${Ref}>`;
  if (Array.isArray(attribute)) return `<${attribute.join('.')}>`;
  if (Array.isArray(joined)) return (joined[1] as unknown[]).map(textOf).join(joined[0] as string);
  if (typeof sub === 'string') return sub;
  throw new Error(`no text: ${JSON.stringify(value)}`);
};
const listOf = (value: unknown): string[] =>
  value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(textOf);

interface Document {
  role: string;
  /** The statements of a managed policy. */
  policy?: string;
  document: { Statement: Record<string, unknown>[] };
}

const app = new App({ context: { tracing: true, accountLogging: true } });
const templates = Object.values(createStacks(app, code)).map((stack) => Template.fromStack(stack));
const found = (type: string) =>
  templates.flatMap((template) =>
    Object.entries(template.findResources(type) as Record<string, { Properties: Record<string, unknown> }>),
  );
const roles = found('AWS::IAM::Role');
const managed = found('AWS::IAM::ManagedPolicy');
const attached = roles.flatMap(([role, { Properties }]) =>
  listOf(Properties.ManagedPolicyArns).map((arn) => ({ role, policy: arn.replace(/^<|>$/g, '') })),
);

const documents: Document[] = [
  ...found('AWS::IAM::Policy').flatMap(([, { Properties }]) =>
    listOf(Properties.Roles).map((role) => ({
      role: role.slice(1, -1),
      document: Properties.PolicyDocument as Document['document'],
    })),
  ),
  ...roles.flatMap(([role, { Properties }]) =>
    ((Properties.Policies ?? []) as { PolicyDocument: Document['document'] }[]).map(({ PolicyDocument }) => ({
      role,
      document: PolicyDocument,
    })),
  ),
  ...managed.flatMap(([policy, { Properties }]) =>
    attached
      .filter((one) => one.policy === policy)
      .map(({ role }) => ({ role, policy, document: Properties.PolicyDocument as Document['document'] })),
  ),
];

const statements: Statement[] = documents.flatMap(({ role, document }) =>
  document.Statement.map((one) => ({
    role,
    effect: String(one.Effect),
    actions: listOf(one.Action),
    resources: listOf(one.Resource),
    conditions: (one.Condition ?? {}) as Statement['conditions'],
  })),
);

/** The part of an ARN after the account. */
const subjectOf = (arn: string): string => (arn === '*' ? arn : arn.split(':').slice(5).join(':'));
/** All resources of a type, rather than those named after this installation. */
const isWide = (arn: string): boolean => /^\*$|^[\w./-]*\/(\*|[a-z0-9-]+-\*)(\/\*)*$/.test(subjectOf(arn));
const isNamed = (arn: string) => arn.includes('aws.cluster.x-k8s.io/') || arn.includes('/cluster.x-k8s.io/');

const tagged = ['aws:ResourceTag/capstan.dev/installation', 'aws:RequestTag/capstan.dev/installation'];
const isConditioned = ({ conditions }: Statement): boolean =>
  Object.keys(conditions.StringEquals ?? {}).some((key) => tagged.includes(key));

/** The statements that may change all resources of a type without a tag condition. */
const open = statements
  .filter((statement) => !isConditioned(statement))
  .flatMap(({ role, actions, resources }) =>
    actions
      .filter((action) => !isRead(action))
      .flatMap((action) =>
        resources.filter((arn) => isWide(arn) || isNamed(arn)).map((arn) => ({ role, action, on: subjectOf(arn) })),
      ),
  );
const covers = ({ actions, on }: Exception, one: { action: string; on: string }) =>
  actions.includes(one.action) && on.includes(one.on);

describe('the roles of a deployment', () => {
  it('are all checked', () => {
    const isOurs = (policy: string) => managed.some(([name]) => name === policy);
    // Includes the role of API Gateway, which writes the logs of the whole account.
    expect(attached.filter(({ policy }) => !isOurs(policy))).toEqual([
      {
        role: expect.stringMatching(/^AccountLoggingRole/),
        policy: 'arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs',
      },
    ]);
    expect(managed.filter(([name]) => !attached.some(({ policy }) => policy === name))).toEqual([]);
    const seen = new Set([...statements.map(({ role }) => role), ...attached.map(({ role }) => role)]);
    expect(roles.map(([role]) => role).filter((role) => !seen.has(role))).toEqual([]);
    expect(roles.length).toBeGreaterThanOrEqual(functionNames.length);
  });

  it('only allow, and name every action', () => {
    expect(statements.filter(({ effect }) => effect !== 'Allow')).toEqual([]);
    expect(statements.flatMap(({ actions }) => actions).filter((action) => action.includes('*'))).toEqual([]);
  });

  it('require a tag to change resources of a whole type, with the named exceptions', () => {
    expect(open.filter((one) => !exceptions.some((exception) => covers(exception, one)))).toEqual([]);
  });

  it('need each exception', () => {
    const needless = exceptions.flatMap((exception) =>
      exception.actions.flatMap((action) =>
        exception.on
          .filter((on) => !open.some((one) => one.action === action && one.on === on))
          .map((on) => `${action} on ${on}`),
      ),
    );
    expect(needless).toEqual([]);
  });

  it('stay within the IAM limits: 10240 characters inline per role, 6144 per managed policy', () => {
    const isDeferred = (value: object) => /^(Ref|Fn::)/.test(Object.keys(value)[0] ?? '');
    const resolve = (_: string, value: unknown) =>
      value !== null && typeof value === 'object' && !Array.isArray(value) && isDeferred(value) ? textOf(value) : value;
    const sizes = new Map<string, number>();
    for (const { policy, role, document } of documents) {
      const name = policy ?? role;
      sizes.set(name, (sizes.get(name) ?? 0) + JSON.stringify(document, resolve).replace(/\s/g, '').length);
    }
    for (const [name, size] of sizes)
      expect(size, name).toBeLessThan(managed.some(([id]) => id === name) ? 6144 : 10_240);
  });
});
