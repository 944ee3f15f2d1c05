/** Which function may decrypt Secrets of which purpose, read from the synthesised template. */
import { describe, expect, it } from 'vitest';
import { deployedIn } from '../../cdk/context.ts';
import { functionNames } from '../../cdk/names.ts';
import { secretPurposes } from '../../kinds/common/secret-purpose.ts';
import { isAllowed } from './iam.fixture.ts';
import { ofType, synthesise, type Template } from './stacks.fixture.ts';

interface Document {
  Statement: {
    Action: string | string[];
    Resource: unknown;
    Effect: string;
    Condition?: Record<string, Record<string, string | string[]>>;
  }[];
}

const isRef = (value: unknown, id: string): boolean => (value as { Ref?: string })?.Ref === id;
const listed = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** Statements on the key of Secrets, by the role that has them. */
const statementsFor = (template: Template, role: string) => {
  const [key] = ofType(template, 'AWS::KMS::Key').find(([, { Properties }]) =>
    String(Properties.Description).startsWith('Secrets of '),
  )!;
  const policies = [...ofType(template, 'AWS::IAM::Policy'), ...ofType(template, 'AWS::IAM::ManagedPolicy')];
  const attached = policies.filter(([, { Properties }]) =>
    ((Properties.Roles as unknown[]) ?? []).some((one) => isRef(one, role)),
  );
  return attached.flatMap(([, { Properties }]) =>
    (Properties.PolicyDocument as Document).Statement.filter(({ Effect }) => Effect === 'Allow').map(
      ({ Action, Resource, Condition }) => ({
        sid: '',
        why: '',
        actions: listed(Action),
        resources: listed(Resource).map((one) =>
          JSON.stringify(one) === JSON.stringify({ 'Fn::GetAtt': [key, 'Arn'] }) ? 'key' : JSON.stringify(one),
        ),
        ...(Condition && { conditions: Condition }),
      }),
    ),
  );
};

const contextOf = (purpose: string | undefined) => ({
  'kms:EncryptionContext:use': 'objects',
  ...(purpose !== undefined && { 'kms:EncryptionContext:purpose': purpose }),
  'kms:EncryptionContextKeys': purpose === undefined ? ['use', 'namespace'] : ['use', 'namespace', 'purpose'],
});

/** The purposes that each function may decrypt; `none`: what format 1 encrypted. */
const decrypted = (template: Template): Record<string, string[]> =>
  Object.fromEntries(
    functionNames.flatMap((name) => {
      const [, lambda] = ofType(template, 'AWS::Lambda::Function').find(
        ([, { Properties }]) => Properties.FunctionName === `capstan-${name}`,
      )!;
      const [role] = (lambda.Properties.Role as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'];
      const statements = statementsFor(template, role);
      const opened = [...secretPurposes, undefined].filter((purpose) =>
        isAllowed(statements, { action: 'kms:Decrypt', resource: 'key', context: contextOf(purpose) }),
      );
      return opened.length > 0 ? [[name, opened.map((purpose) => purpose ?? 'none')]] : [];
    }),
  );

const everything = [...secretPurposes, 'none'];
const reading = { api: everything, 'reconcile-workload': everything, 'reconcile-gc': everything };
const administrators = 'arn:aws:iam::111122223333:role/Admin';
const deployed = { isKnown: true, context: { multiRegionKey: 'true', administrators }, named: ['installation'] };

describe('a Secret is decrypted', () => {
  it('in a new installation by the functions that need its purpose', () => {
    const { controlPlane } = synthesise({ administrators });
    expect(decrypted(controlPlane)).toEqual({ ...reading, 'reconcile-aws': ['bootstrap', 'others'] });
  });

  it('after the first deployment to an older installation also without a purpose, while such Secrets may remain', () => {
    const { controlPlane } = synthesise({}, deployed);
    expect(decrypted(controlPlane)).toEqual({ ...reading, 'reconcile-aws': ['bootstrap', 'others', 'none'] });
    expect(controlPlane.Outputs).toHaveProperty('FormerSecrets');
  });

  it('after the next deployment as in a new installation', () => {
    const first = synthesise({}, deployed);
    const { controlPlane } = synthesise({}, { isKnown: true, ...deployedIn(JSON.stringify(first.controlPlane)) });
    expect(decrypted(controlPlane)).toEqual({ ...reading, 'reconcile-aws': ['bootstrap', 'others'] });
    expect(controlPlane.Outputs).not.toHaveProperty('FormerSecrets');
  });
});
