/** A kubeconfig by which a program calls a webhook. Pure. */
import { documentValue, yamlDocuments } from '../../../machinery/api/yaml.ts';
import { type Fields, fieldsOf, listOf, textOf } from './document.ts';

const named = (entries: unknown, name: string): Fields | undefined =>
  listOf(entries).find((entry) => textOf(entry.name) === name);

/** Why clientcmd takes no client from the text. */
export const faultsOfKubeconfig = (text: string): string[] => {
  const [document] = yamlDocuments(text);
  let config: Fields;
  try {
    config = fieldsOf(document && documentValue(document));
  } catch (error) {
    return [`error loading config file: yaml: ${error instanceof Error ? error.message : String(error)}`];
  }
  const current = textOf(config['current-context']);
  const clusters = listOf(config.clusters);
  if (clusters.length === 0) return ['invalid configuration: no configuration has been provided'];
  if (current === '') return ['invalid configuration: no context is in use (current-context)'];
  const context = named(config.contexts, current);
  if (!context) return [`invalid configuration: context was not found for specified context: ${current}`];
  const clusterName = textOf(fieldsOf(context.context).cluster);
  const cluster = named(clusters, clusterName);
  if (!cluster) return [`invalid configuration: cluster "${clusterName}" does not exist`];
  return textOf(fieldsOf(cluster.cluster).server) === ''
    ? [`invalid configuration: no server found for cluster "${textOf(cluster.name)}"`]
    : [];
};
