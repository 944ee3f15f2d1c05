/** The stacks of a deployment, with empty functions. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type AppProps } from 'aws-cdk-lib';
import type { Found } from '../../cdk/deployed.ts';
import { functionNames } from '../../cdk/names.ts';
import { createStacks, type Stacks } from '../../cdk/stacks.ts';

export interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DependsOn?: string[];
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}
export interface Template {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
}

export interface Synthesised {
  app: App;
  stacks: Stacks;
  controlPlane: Template;
  monitoring: Template;
}

export const withCode = <T>(run: (code: string, out: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-stacks-'));
  try {
    const code = join(folder, 'code');
    for (const name of [...functionNames, 'front']) {
      mkdirSync(join(code, name), { recursive: true });
      writeFileSync(join(code, name, 'index.mjs'), `// ${name}\n`);
    }
    return run(code, join(folder, 'out'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** What tests do not read: copies of the code, and stack traces. The CDK's check of a template takes half of a synthesis. */
const plain: AppProps = {
  builtinCloudFormationValidation: false,
  treeMetadata: false,
  context: { 'aws:cdk:disable-asset-staging': true, 'aws:cdk:disable-stack-trace': true },
};
/** Templates that break a rule of the CDK's check fail the synthesis. */
export const validated: AppProps = {
  builtinCloudFormationValidation: true,
  context: { '@aws-cdk/core:validateAgainstDefaultRules': true },
};

/** `deployed` is what a deployment finds in the account. */
export const synthesise = (
  context: Record<string, unknown> = {},
  deployed?: Found,
  props: AppProps = plain,
): Synthesised =>
  withCode((code, outdir) => {
    const app = new App({ ...props, outdir, context: { ...props.context, ...context } });
    const stacks = createStacks(app, code, deployed);
    const assembly = app.synth();
    const template = (name: string) =>
      JSON.parse(readFileSync(join(outdir, assembly.getStackByName(name).templateFile), 'utf8')) as Template;
    const { controlPlane, monitoring } = stacks;
    return {
      app,
      stacks,
      controlPlane: template(controlPlane.stackName),
      monitoring: template(monitoring.stackName),
    };
  });

export const ofType = ({ Resources }: Template, type: string): [string, Resource][] =>
  Object.entries(Resources).filter(([, resource]) => resource.Type === type);

/** A value of a template, with `known` in place of what only a deployment knows. */
export const evaluated = (value: unknown, known: (reference: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((one) => evaluated(one, known));
  if (typeof value !== 'object' || value === null) return value;
  if ('Ref' in value) return known(String(value.Ref));
  if ('Fn::GetAtt' in value) return known((value['Fn::GetAtt'] as string[]).join('.'));
  if ('Fn::Join' in value) {
    const [separator, parts] = value['Fn::Join'] as [string, unknown[]];
    return (evaluated(parts, known) as string[]).join(separator);
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, evaluated(one, known)]));
};
