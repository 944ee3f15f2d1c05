/** Names by the naming templates of a ClusterClass. */
import { renderTemplate, TemplateError } from '../../common/go-template/index.ts';

const longest = 63;
const randomLength = 5;

export const defaultNaming = {
  part: '{{ .cluster.name }}-{{ .random }}',
  machineDeployment: '{{ .cluster.name }}-{{ .machineDeployment.topologyName }}-{{ .random }}',
  machinePool: '{{ .cluster.name }}-{{ .machinePool.topologyName }}-{{ .random }}',
} as const;

export interface NameData {
  cluster: string;
  machineDeployment?: string;
  machinePool?: string;
  random: string;
}

/** The name, cut so that its end stays random where it is too long; an Error says what is wrong with the template. */
export const nameByTemplate = (template: string, data: NameData): string | TemplateError => {
  const { cluster, machineDeployment, machinePool, random } = data;
  try {
    const name = renderTemplate(template, {
      cluster: { name: cluster },
      ...(machineDeployment !== undefined && { machineDeployment: { topologyName: machineDeployment } }),
      ...(machinePool !== undefined && { machinePool: { topologyName: machinePool } }),
      random,
    });
    return name.length > longest ? `${name.slice(0, longest - randomLength)}${random}` : name;
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
};
