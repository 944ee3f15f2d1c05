/** `capstan doctor -f`: whether the kinds of manifests are served in their versions, and what to do otherwise. */
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import { definitionOf } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import { requireObjects, sourcesAt } from '../convert/index.ts';
import { groups, knownVersion } from '../convert/manifest.ts';
import { textAt } from '../convert/nodes.ts';
import { partsOf } from '../convert/stream.ts';
import { type Print, shellWord, typed } from '../output.ts';
import { type Check, type Finding, failed, ok, warning } from './check.ts';
import { checksOfComponents } from './components.ts';
import { examine } from './index.ts';

const clusterApi = /(^|\.)cluster\.x-k8s\.io$/;

const findingOf = async (apiVersion: string, kind: string, convert: string): Promise<Finding> => {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const facts = kindsOnDemand.find((one) => one.group === group && one.kind === kind);
  const served =
    facts && facts.served !== false ? (await definitionOf(facts)).versions.filter((one) => one.served) : [];
  if (served.some(({ name }) => name === version)) return ok(apiVersion);
  const isOlder = knownVersion(apiVersion, kind) !== undefined;
  const today = kindsOnDemand.some((one) => one.kind === kind && groups[kind] === one.group);
  if (isOlder && today) return failed(`${apiVersion} is no longer served: ${convert}`);
  if (served.length > 0)
    return failed(
      `${apiVersion} is not served: ${kind} is in ${served.map(({ name }) => `${group}/${name}`).join(', ')}`,
    );
  if (!clusterApi.test(group) && served.length === 0)
    return warning(`${apiVersion} is not served here: it belongs into a workload cluster, or to another server`);
  const names = kindsOnDemand.filter((one) => one.group === group && one.served !== false);
  const others = names.map((one) => one.kind).sort();
  return failed(
    `${kind} is not served by Capstan${others.length > 0 ? `; of ${group} it serves ${others.join(', ')}` : ''}`,
  );
};

/** Those that are whole YAML; the others are reported. */
const objectsIn = (texts: readonly string[]): KubeObject[] =>
  texts.flatMap((text) =>
    partsOf(text).flatMap(({ text: part, fault }) =>
      fault === undefined ? yamlDocuments(part).flatMap((one) => (documentValue(one) as KubeObject | null) ?? []) : [],
    ),
  );

/** One check for each object, and one for each fault of what programs are started with. */
export const checksOfManifests = (name: string, texts: readonly string[]): Check[] => {
  const convert = typed(`convert -f ${shellWord(name)} | kubectl apply -f -`);
  const served = texts.flatMap((text) =>
    partsOf(text).map(({ document, fault }): Check => {
      if (fault !== undefined || !document) return { name: 'document', run: async () => failed(fault ?? 'no object') };
      const [apiVersion, kind, object] = [['apiVersion'], ['kind'], ['metadata', 'name']].map(
        (path) => textAt(document.contents, ...path) ?? '',
      ) as [string, string, string];
      if (!apiVersion || !kind)
        return { name: 'document', run: async () => failed('it is no Kubernetes object without apiVersion and kind') };
      return { name: `${kind}/${object} `, run: () => findingOf(apiVersion, kind, convert) };
    }),
  );
  return [...served, ...checksOfComponents(objectsIn(texts))];
};

export const examineManifests = async (name: string, print: Print = console.log): Promise<void> => {
  const sources = await sourcesAt(name, false, process.stdin);
  requireObjects(name, sources);
  const checks = checksOfManifests(
    name,
    sources.map(({ text }) => text),
  );
  if (!(await examine(checks, print))) process.exitCode = 1;
};
