/**
 * Compares templates to find what a deployment would change, without publishing anything or creating a change
 * set.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { parse } from 'yaml';
import { output } from './cdk.ts';
import { asking } from './explain.ts';
import { type CloudFormation, findStack, withTemplate } from './stack.ts';

export type Effect = 'create' | 'update' | 'replace' | 'delete' | 'keep';

export interface Change {
  stack: string;
  /** The logical id in the template. */
  id: string;
  type: string;
  effect: Effect;
  /** Changed properties; of a replacement, only those that cause it. */
  properties: string[];
}

const effects: Partial<Record<ResourceImpact, Effect>> = {
  [ResourceImpact.WILL_CREATE]: 'create',
  [ResourceImpact.WILL_IMPORT]: 'create',
  [ResourceImpact.WILL_UPDATE]: 'update',
  // Only CloudFormation knows whether it replaces, so ask the user as if it did.
  [ResourceImpact.MAY_REPLACE]: 'replace',
  [ResourceImpact.WILL_REPLACE]: 'replace',
  [ResourceImpact.WILL_DESTROY]: 'delete',
  [ResourceImpact.WILL_ORPHAN]: 'keep',
};

type Template = Record<string, unknown>;

/** A pure function. */
export const changesBetween = (stack: string, before: Template, after: Template): Change[] => {
  const { resources } = fullDiff(before, after);
  const changes: Change[] = [];
  resources.forEachDifference((id, difference) => {
    const effect = effects[difference.changeImpact];
    if (!effect) return;
    const updated = Object.entries(difference.propertyUpdates);
    const causes = updated.filter(([, { changeImpact }]) =>
      [ResourceImpact.WILL_REPLACE, ResourceImpact.MAY_REPLACE].some((impact) => impact === changeImpact),
    );
    const shown = effect === 'replace' && causes.length > 0 ? causes : updated;
    const properties = effect === 'create' || effect === 'delete' ? [] : shown.map(([name]) => name);
    const type = difference.newResourceType ?? difference.oldResourceType ?? '';
    changes.push({ stack, id, type, effect, properties });
  });
  return changes;
};

const deployedTemplate = async (client: CloudFormation, stack: string): Promise<Template> => {
  const found = await findStack(client, stack);
  if (!withTemplate(found?.StackStatus)) return {};
  const request = client.send(new GetTemplateCommand({ StackName: stack, TemplateStage: 'Original' }));
  const { TemplateBody = '{}' } = await asking(request, {
    action: 'cloudformation:GetTemplate',
    what: `the stack ${stack}`,
  });
  // The CDK may upload YAML, of which JSON is a subset.
  return parse(TemplateBody) as Template;
};

/** Compares synthesised stacks with deployed ones. */
export const findChanges = async (client: CloudFormation, stacks: readonly string[]): Promise<Change[]> => {
  const changes: Change[] = [];
  for (const stack of stacks) {
    const after = JSON.parse(readFileSync(join(output, `${stack}.template.json`), 'utf8')) as Template;
    changes.push(...changesBetween(stack, await deployedTemplate(client, stack), after));
  }
  return changes;
};

const order: readonly Effect[] = ['replace', 'delete', 'keep', 'update', 'create'];
const marks: Record<Effect, string> = { create: '+', update: '~', replace: '!', delete: '-', keep: 'o' };
const phrases: Record<Effect, string> = {
  create: 'to create',
  update: 'to update',
  replace: 'to replace',
  delete: 'to delete',
  keep: 'to leave in the account, no longer part of the stack',
};

const of = (changes: readonly Change[], effect: Effect) => changes.filter((change) => change.effect === effect);

export const summaryOf = (changes: readonly Change[]): string => {
  if (changes.length === 0) return 'No changes: what is deployed is what this checkout and these settings make.';
  const parts = (['create', 'update', 'replace', 'delete'] as const).map(
    (effect) => `${of(changes, effect).length} ${phrases[effect]}`,
  );
  const kept = of(changes, 'keep').length;
  return `Plan: ${[...parts, ...(kept > 0 ? [`${kept} ${phrases.keep}`] : [])].join(', ')}.`;
};

const lineOf = ({ id, type, effect, properties }: Change): string =>
  `  ${marks[effect]} ${type} ${id}${properties.length > 0 ? ` (${properties.join(', ')})` : ''}`;

/** Replacements and deletions come first; a new stack shows only counts per type. */
export const renderChanges = (changes: readonly Change[]): string => {
  const lines: string[] = [];
  for (const stack of [...new Set(changes.map((change) => change.stack))]) {
    const own = changes.filter((change) => change.stack === stack);
    lines.push(stack);
    if (own.every(({ effect }) => effect === 'create')) {
      const counts = new Map<string, number>();
      for (const { type } of own) counts.set(type, (counts.get(type) ?? 0) + 1);
      for (const [type, count] of [...counts].sort()) lines.push(`  + ${type}${count > 1 ? ` (${count})` : ''}`);
    } else for (const effect of order) lines.push(...of(own, effect).map(lineOf));
    lines.push('');
  }
  return [...lines, summaryOf(changes)].join('\n');
};

/** Replacements need consent, because the old resource's content and name are lost. */
export const replaced = (changes: readonly Change[]): Change[] => of(changes, 'replace');
