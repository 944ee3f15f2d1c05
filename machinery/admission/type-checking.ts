/** Checks the expressions of a policy against the schemas of the resources that it is about. */
import type { ExpressionWarning, NamedRule, ValidatingPolicy } from '../api/admission.ts';
import { definitionOf, resourceOf } from '../api/kind.ts';
import type { JsonSchema } from '../api/schema.ts';
import { typeOf } from '../cel/types.ts';
import { findFresh, type Kinds, ofTypeFresh } from '../controller/kinds.ts';
import { metadataSchema } from '../server/metadata-schema.ts';
import { type Checker, checkerOf } from './environment.ts';

const wholeSchema = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...schema.properties, metadata: metadataSchema },
});

interface Resource {
  group: string;
  version: string;
  kind: string;
  schema: JsonSchema;
}

const mostResources = 10;
const isPlain = (values: readonly string[] | undefined): values is string[] =>
  values !== undefined && values.length > 0 && values.every((one) => one !== '*');

const namedBy = ({ apiGroups, apiVersions, resources }: NamedRule): [string, string, string][] => {
  const plain = resources?.filter((one) => !one.includes('*') && !one.includes('/'));
  if (!isPlain(apiGroups) || !isPlain(apiVersions) || !isPlain(plain)) return [];
  return apiGroups.flatMap((group) =>
    apiVersions.flatMap((version) => plain.map((plural): [string, string, string] => [group, version, plural])),
  );
};

/** The resources that the rules name without wildcards, as far as they are served. */
const resourcesOf = async (kinds: Kinds, rules: readonly NamedRule[]): Promise<Resource[]> => {
  const found = new Map<string, Resource>();
  for (const [group, name, plural] of rules.flatMap(namedBy)) {
    const kind = await ofTypeFresh(kinds, resourceOf({ group, plural }));
    if (!kind || found.size >= mostResources) continue;
    const version = (await definitionOf(kind)).versions.find((one) => one.served && one.name === name);
    if (version)
      found.set(`${group}/${name}/${kind.kind}`, { group, version: name, kind: kind.kind, schema: version.schema });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource);
};

const paramsSchema = async (kinds: Kinds, { spec }: ValidatingPolicy): Promise<JsonSchema | undefined> => {
  const { apiVersion = '', kind = '' } = spec?.paramKind ?? {};
  const [group, name] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion];
  const known = kind ? await findFresh(kinds, group!, kind) : undefined;
  return known && (await definitionOf(known)).versions.find((one) => one.name === name)?.schema;
};

const checkerFor = (policy: ValidatingPolicy, { schema, kind }: Resource, params: JsonSchema | undefined): Checker => {
  const checker = checkerOf({
    hasParams: policy.spec?.paramKind !== undefined,
    hasAuthorizer: true,
    types: (of) => ({
      object: typeOf(of, wholeSchema(schema), `${kind}.object`),
      params: params ? typeOf(of, wholeSchema(params), 'params.object') : 'dyn',
    }),
  });
  for (const variable of policy.spec?.variables ?? []) checker.variable(variable);
  return checker;
};

/** What does not fit the schemas, by expression. */
export const typeWarnings = async (kinds: Kinds, policy: ValidatingPolicy): Promise<ExpressionWarning[]> => {
  const { matchConstraints, validations = [] } = policy.spec ?? {};
  const resources = await resourcesOf(kinds, matchConstraints?.resourceRules ?? []);
  const params = await paramsSchema(kinds, policy);
  const checkers = resources.map((resource) => ({ resource, checker: checkerFor(policy, resource, params) }));
  const warningsOf = (fieldRef: string, expression: string | undefined): ExpressionWarning[] => {
    if (!expression) return [];
    const issues = checkers.flatMap(({ resource: { group, version, kind }, checker }) => {
      const checked = checker.expression(expression);
      return 'issue' in checked ? [`${group ? `${group}/` : ''}${version}, Kind=${kind}: ${checked.issue}`] : [];
    });
    return issues.length > 0 ? [{ fieldRef, warning: issues.join('\n') }] : [];
  };
  return validations.flatMap(({ expression, messageExpression }, i) => [
    ...warningsOf(`spec.validations[${i}].expression`, expression),
    ...warningsOf(`spec.validations[${i}].messageExpression`, messageExpression),
  ]);
};
