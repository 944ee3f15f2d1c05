/**
 * The built-in kinds as clients send them in protobuf: a message a line, its fields as name:number:type. Source: the
 * protobuf tags of the Kubernetes API's types. Types: s text, i integer, b boolean, y bytes, t time, u time in
 * microseconds, q quantity, n integer or text, m map of texts, M map of quantities, j an object of any kind,
 * $ObjectMeta, or another message; `@` before a type makes a list, `^` puts its fields in place, `*` after it keeps zero
 * values.
 */
export const messageTable = `
AWSElasticBlockStoreVolumeSource volumeID:1:s fsType:2:s partition:3:i readOnly:4:b
Affinity nodeAffinity:1:NodeAffinity podAffinity:2:PodAffinity podAntiAffinity:3:PodAntiAffinity
AggregationRule clusterRoleSelectors:1:@LabelSelector
AppArmorProfile type:1:s localhostProfile:2:s*
AttachedVolume name:1:s devicePath:2:s
AuditAnnotation key:1:s valueExpression:2:s
AzureDiskVolumeSource diskName:1:s diskURI:2:s cachingMode:3:s* fsType:4:s* readOnly:5:b* kind:6:s*
AzureFilePersistentVolumeSource secretName:1:s shareName:2:s readOnly:3:b secretNamespace:4:s*
AzureFileVolumeSource secretName:1:s shareName:2:s readOnly:3:b
CSIDriver metadata:1:$ObjectMeta spec:2:CSIDriverSpec
CSIDriverSpec attachRequired:1:b* podInfoOnMount:2:b* volumeLifecycleModes:3:@s storageCapacity:4:b* fsGroupPolicy:5:s* tokenRequests:6:@TokenRequest requiresRepublish:7:b* seLinuxMount:8:b* nodeAllocatableUpdatePeriodSeconds:9:i* serviceAccountTokenInSecrets:10:b* preventPodSchedulingIfMissing:11:b*
CSINode metadata:1:$ObjectMeta spec:2:CSINodeSpec
CSINodeDriver name:1:s nodeID:2:s topologyKeys:3:@s allocatable:4:VolumeNodeResources
CSINodeSpec drivers:1:@CSINodeDriver
CSIPersistentVolumeSource driver:1:s volumeHandle:2:s readOnly:3:b fsType:4:s volumeAttributes:5:m controllerPublishSecretRef:6:SecretReference nodeStageSecretRef:7:SecretReference nodePublishSecretRef:8:SecretReference controllerExpandSecretRef:9:SecretReference nodeExpandSecretRef:10:SecretReference
CSIStorageCapacity metadata:1:$ObjectMeta nodeTopology:2:LabelSelector storageClassName:3:s capacity:4:q maximumVolumeSize:5:q
CSIVolumeSource driver:1:s readOnly:2:b* fsType:3:s* volumeAttributes:4:m nodePublishSecretRef:5:LocalObjectReference
Capabilities add:1:@s drop:2:@s
CephFSPersistentVolumeSource monitors:1:@s path:2:s user:3:s secretFile:4:s secretRef:5:SecretReference readOnly:6:b
CephFSVolumeSource monitors:1:@s path:2:s user:3:s secretFile:4:s secretRef:5:LocalObjectReference readOnly:6:b
CertificateSigningRequest metadata:1:$ObjectMeta spec:2:CertificateSigningRequestSpec status:3:CertificateSigningRequestStatus
CertificateSigningRequestCondition type:1:s status:6:s reason:2:s message:3:s lastUpdateTime:4:t lastTransitionTime:5:t
CertificateSigningRequestSpec request:1:y signerName:7:s expirationSeconds:8:i* usages:5:@s username:2:s uid:3:s groups:4:@s
CertificateSigningRequestStatus conditions:1:@CertificateSigningRequestCondition certificate:2:y
CinderPersistentVolumeSource volumeID:1:s fsType:2:s readOnly:3:b secretRef:4:SecretReference
CinderVolumeSource volumeID:1:s fsType:2:s readOnly:3:b secretRef:4:LocalObjectReference
ClientIPConfig timeoutSeconds:1:i*
ClusterRole metadata:1:$ObjectMeta rules:2:@PolicyRule aggregationRule:3:AggregationRule
ClusterRoleBinding metadata:1:$ObjectMeta subjects:2:@Subject roleRef:3:RoleRef
ClusterTrustBundleProjection name:1:s* signerName:2:s* labelSelector:3:LabelSelector optional:5:b* path:4:s
Condition type:1:s status:2:s observedGeneration:3:i lastTransitionTime:4:t reason:5:s message:6:s
ConfigMapEnvSource :1:^LocalObjectReference optional:2:b*
ConfigMapKeySelector :1:^LocalObjectReference key:2:s optional:3:b*
ConfigMapNodeConfigSource namespace:1:s name:2:s uid:3:s resourceVersion:4:s kubeletConfigKey:5:s
ConfigMapProjection :1:^LocalObjectReference items:2:@KeyToPath optional:4:b*
ConfigMapVolumeSource :1:^LocalObjectReference items:2:@KeyToPath defaultMode:3:i* optional:4:b*
Container name:1:s image:2:s command:3:@s args:4:@s workingDir:5:s ports:6:@ContainerPort envFrom:19:@EnvFromSource env:7:@EnvVar resources:8:ResourceRequirements resizePolicy:23:@ContainerResizePolicy restartPolicy:24:s* restartPolicyRules:25:@ContainerRestartRule volumeMounts:9:@VolumeMount volumeDevices:21:@VolumeDevice livenessProbe:10:Probe readinessProbe:11:Probe startupProbe:22:Probe lifecycle:12:Lifecycle terminationMessagePath:13:s terminationMessagePolicy:20:s imagePullPolicy:14:s securityContext:15:SecurityContext stdin:16:b stdinOnce:17:b tty:18:b
ContainerImage names:1:@s sizeBytes:2:i
ContainerPort name:1:s hostPort:2:i containerPort:3:i protocol:4:s hostIP:5:s
ContainerResizePolicy resourceName:1:s restartPolicy:2:s
ContainerResourceMetricSource name:1:s target:2:MetricTarget container:3:s
ContainerRestartRule action:1:s exitCodes:2:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator:1:s values:2:@i
ControllerRevision metadata:1:$ObjectMeta data:2:j revision:3:i
CronJob metadata:1:$ObjectMeta spec:2:CronJobSpec
CronJobSpec schedule:1:s timeZone:8:s* startingDeadlineSeconds:2:i* concurrencyPolicy:3:s suspend:4:b* jobTemplate:5:JobTemplateSpec successfulJobsHistoryLimit:6:i* failedJobsHistoryLimit:7:i*
CrossVersionObjectReference kind:1:s name:2:s apiVersion:3:s
DaemonEndpoint Port:1:i
DaemonSet metadata:1:$ObjectMeta spec:2:DaemonSetSpec
DaemonSetSpec selector:1:LabelSelector template:2:PodTemplateSpec updateStrategy:3:DaemonSetUpdateStrategy minReadySeconds:4:i revisionHistoryLimit:6:i*
DaemonSetUpdateStrategy type:1:s rollingUpdate:2:RollingUpdateDaemonSet
Deployment metadata:1:$ObjectMeta spec:2:DeploymentSpec
DeploymentSpec replicas:1:i* selector:2:LabelSelector template:3:PodTemplateSpec strategy:4:DeploymentStrategy minReadySeconds:5:i revisionHistoryLimit:6:i* paused:7:b progressDeadlineSeconds:9:i*
DeploymentStrategy type:1:s rollingUpdate:2:RollingUpdateDeployment
DownwardAPIProjection items:1:@DownwardAPIVolumeFile
DownwardAPIVolumeFile path:1:s fieldRef:2:ObjectFieldSelector resourceFieldRef:3:ResourceFieldSelector mode:4:i*
DownwardAPIVolumeSource items:1:@DownwardAPIVolumeFile defaultMode:2:i*
EmptyDirVolumeSource medium:1:s sizeLimit:2:q
Endpoint addresses:1:@s conditions:2:EndpointConditions hostname:3:s* targetRef:4:ObjectReference deprecatedTopology:5:m nodeName:6:s* zone:7:s* hints:8:EndpointHints
EndpointAddress ip:1:s hostname:3:s nodeName:4:s* targetRef:2:ObjectReference
EndpointConditions ready:1:b* serving:2:b* terminating:3:b*
EndpointHints forZones:1:@ForZone forNodes:2:@ForNode
EndpointPort name:1:s port:2:i protocol:3:s appProtocol:4:s*
EndpointSlice metadata:1:$ObjectMeta addressType:4:s endpoints:2:@Endpoint ports:3:@EndpointPort
EndpointSubset addresses:1:@EndpointAddress notReadyAddresses:2:@EndpointAddress ports:3:@EndpointPort
Endpoints metadata:1:$ObjectMeta subsets:2:@EndpointSubset
EnvFromSource prefix:1:s configMapRef:2:ConfigMapEnvSource secretRef:3:SecretEnvSource
EnvVar name:1:s value:2:s valueFrom:3:EnvVarSource
EnvVarSource fieldRef:1:ObjectFieldSelector resourceFieldRef:2:ResourceFieldSelector configMapKeyRef:3:ConfigMapKeySelector secretKeyRef:4:SecretKeySelector fileKeyRef:5:FileKeySelector
EphemeralContainer :1:^EphemeralContainerCommon targetContainerName:2:s
EphemeralContainerCommon name:1:s image:2:s command:3:@s args:4:@s workingDir:5:s ports:6:@ContainerPort envFrom:19:@EnvFromSource env:7:@EnvVar resources:8:ResourceRequirements resizePolicy:23:@ContainerResizePolicy restartPolicy:24:s* restartPolicyRules:25:@ContainerRestartRule volumeMounts:9:@VolumeMount volumeDevices:21:@VolumeDevice livenessProbe:10:Probe readinessProbe:11:Probe startupProbe:22:Probe lifecycle:12:Lifecycle terminationMessagePath:13:s terminationMessagePolicy:20:s imagePullPolicy:14:s securityContext:15:SecurityContext stdin:16:b stdinOnce:17:b tty:18:b
EphemeralVolumeSource volumeClaimTemplate:1:PersistentVolumeClaimTemplate
Eviction metadata:1:$ObjectMeta deleteOptions:2:$DeleteOptions
ExecAction command:1:@s
ExpressionWarning fieldRef:2:s warning:3:s
ExternalMetricSource metric:1:MetricIdentifier target:2:MetricTarget
FCVolumeSource targetWWNs:1:@s lun:2:i* fsType:3:s readOnly:4:b wwids:5:@s
FileKeySelector volumeName:1:s path:2:s key:3:s optional:4:b*
FlexPersistentVolumeSource driver:1:s fsType:2:s secretRef:3:SecretReference readOnly:4:b options:5:m
FlexVolumeSource driver:1:s fsType:2:s secretRef:3:LocalObjectReference readOnly:4:b options:5:m
FlockerVolumeSource datasetName:1:s datasetUUID:2:s
ForNode name:1:s
ForZone name:1:s
GCEPersistentDiskVolumeSource pdName:1:s fsType:2:s partition:3:i readOnly:4:b
GRPCAction port:1:i service:2:s*
GitRepoVolumeSource repository:1:s revision:2:s directory:3:s
GlusterfsPersistentVolumeSource endpoints:1:s path:2:s readOnly:3:b endpointsNamespace:4:s*
GlusterfsVolumeSource endpoints:1:s path:2:s readOnly:3:b
HPAScalingPolicy type:1:s value:2:i periodSeconds:3:i
HPAScalingRules stabilizationWindowSeconds:3:i* selectPolicy:1:s* policies:2:@HPAScalingPolicy tolerance:4:q
HTTPGetAction path:1:s port:2:n host:3:s scheme:4:s httpHeaders:5:@HTTPHeader
HTTPHeader name:1:s value:2:s
HTTPIngressPath path:1:s pathType:3:s* backend:2:IngressBackend
HTTPIngressRuleValue paths:1:@HTTPIngressPath
HorizontalPodAutoscaler metadata:1:$ObjectMeta spec:2:HorizontalPodAutoscalerSpec
HorizontalPodAutoscalerBehavior scaleUp:1:HPAScalingRules scaleDown:2:HPAScalingRules
HorizontalPodAutoscalerSpec scaleTargetRef:1:CrossVersionObjectReference minReplicas:2:i* maxReplicas:3:i metrics:4:@MetricSpec behavior:5:HorizontalPodAutoscalerBehavior
HostAlias ip:1:s hostnames:2:@s
HostPathVolumeSource path:1:s type:2:s*
IPBlock cidr:1:s except:2:@s
ISCSIPersistentVolumeSource targetPortal:1:s iqn:2:s lun:3:i iscsiInterface:4:s fsType:5:s readOnly:6:b portals:7:@s chapAuthDiscovery:8:b chapAuthSession:11:b secretRef:10:SecretReference initiatorName:12:s*
ISCSIVolumeSource targetPortal:1:s iqn:2:s lun:3:i iscsiInterface:4:s fsType:5:s readOnly:6:b portals:7:@s chapAuthDiscovery:8:b chapAuthSession:11:b secretRef:10:LocalObjectReference initiatorName:12:s*
ImageVolumeSource reference:1:s pullPolicy:2:s
Ingress metadata:1:$ObjectMeta spec:2:IngressSpec
IngressBackend service:4:IngressServiceBackend resource:3:TypedLocalObjectReference
IngressClass metadata:1:$ObjectMeta spec:2:IngressClassSpec
IngressClassParametersReference apiGroup:1:s* kind:2:s name:3:s scope:4:s* namespace:5:s*
IngressClassSpec controller:1:s parameters:2:IngressClassParametersReference
IngressRule host:1:s :2:^IngressRuleValue
IngressRuleValue http:1:HTTPIngressRuleValue
IngressServiceBackend name:1:s port:2:ServiceBackendPort
IngressSpec ingressClassName:4:s* defaultBackend:1:IngressBackend tls:2:@IngressTLS rules:3:@IngressRule
IngressTLS hosts:1:@s secretName:2:s
Job metadata:1:$ObjectMeta spec:2:JobSpec
JobSpec parallelism:1:i* completions:2:i* activeDeadlineSeconds:3:i* podFailurePolicy:11:PodFailurePolicy successPolicy:16:SuccessPolicy backoffLimit:7:i* backoffLimitPerIndex:12:i* maxFailedIndexes:13:i* selector:4:LabelSelector manualSelector:5:b* template:6:PodTemplateSpec ttlSecondsAfterFinished:8:i* completionMode:9:s* suspend:10:b* podReplacementPolicy:14:s* managedBy:15:s*
JobTemplateSpec metadata:1:$ObjectMeta spec:2:JobSpec
KeyToPath key:1:s path:2:s mode:3:i*
LabelSelector matchLabels:1:m matchExpressions:2:@LabelSelectorRequirement
LabelSelectorRequirement key:1:s operator:2:s values:3:@s
Lifecycle postStart:1:LifecycleHandler preStop:2:LifecycleHandler stopSignal:3:s*
LifecycleHandler exec:1:ExecAction httpGet:2:HTTPGetAction tcpSocket:3:TCPSocketAction sleep:4:SleepAction
LimitRange metadata:1:$ObjectMeta spec:2:LimitRangeSpec
LimitRangeItem type:1:s max:2:M min:3:M default:4:M defaultRequest:5:M maxLimitRequestRatio:6:M
LimitRangeSpec limits:1:@LimitRangeItem
LocalObjectReference name:1:s
LocalVolumeSource path:1:s fsType:2:s*
MatchCondition name:1:s expression:2:s
MatchResources namespaceSelector:1:LabelSelector objectSelector:2:LabelSelector resourceRules:3:@NamedRuleWithOperations excludeResourceRules:4:@NamedRuleWithOperations matchPolicy:7:s*
MetricIdentifier name:1:s selector:2:LabelSelector
MetricSpec type:1:s object:2:ObjectMetricSource pods:3:PodsMetricSource resource:4:ResourceMetricSource containerResource:7:ContainerResourceMetricSource external:5:ExternalMetricSource
MetricTarget type:1:s value:2:q averageValue:3:q averageUtilization:4:i*
MutatingWebhook name:1:s clientConfig:2:WebhookClientConfig rules:3:@RuleWithOperations failurePolicy:4:s* matchPolicy:9:s* namespaceSelector:5:LabelSelector objectSelector:11:LabelSelector sideEffects:6:s* timeoutSeconds:7:i* admissionReviewVersions:8:@s reinvocationPolicy:10:s* matchConditions:12:@MatchCondition
MutatingWebhookConfiguration metadata:1:$ObjectMeta webhooks:2:@MutatingWebhook
NFSVolumeSource server:1:s path:2:s readOnly:3:b
NamedRuleWithOperations resourceNames:1:@s :2:^RuleWithOperations
NetworkPolicy metadata:1:$ObjectMeta spec:2:NetworkPolicySpec
NetworkPolicyEgressRule ports:1:@NetworkPolicyPort to:2:@NetworkPolicyPeer
NetworkPolicyIngressRule ports:1:@NetworkPolicyPort from:2:@NetworkPolicyPeer
NetworkPolicyPeer podSelector:1:LabelSelector namespaceSelector:2:LabelSelector ipBlock:3:IPBlock
NetworkPolicyPort protocol:1:s* port:2:n endPort:3:i*
NetworkPolicySpec podSelector:1:LabelSelector ingress:2:@NetworkPolicyIngressRule egress:3:@NetworkPolicyEgressRule policyTypes:4:@s
Node metadata:1:$ObjectMeta spec:2:NodeSpec status:3:NodeStatus
NodeAddress type:1:s address:2:s
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:1:NodeSelector preferredDuringSchedulingIgnoredDuringExecution:2:@PreferredSchedulingTerm
NodeCondition type:1:s status:2:s lastHeartbeatTime:3:t lastTransitionTime:4:t reason:5:s message:6:s
NodeConfigSource configMap:2:ConfigMapNodeConfigSource
NodeConfigStatus assigned:1:NodeConfigSource active:2:NodeConfigSource lastKnownGood:3:NodeConfigSource error:4:s
NodeDaemonEndpoints kubeletEndpoint:1:DaemonEndpoint
NodeFeatures supplementalGroupsPolicy:1:b*
NodeRuntimeHandler name:1:s features:2:NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:1:b* userNamespaces:2:b*
NodeSelector nodeSelectorTerms:1:@NodeSelectorTerm
NodeSelectorRequirement key:1:s operator:2:s values:3:@s
NodeSelectorTerm matchExpressions:1:@NodeSelectorRequirement matchFields:2:@NodeSelectorRequirement
NodeSpec podCIDR:1:s podCIDRs:7:@s providerID:3:s unschedulable:4:b taints:5:@Taint configSource:6:NodeConfigSource externalID:2:s
NodeStatus capacity:1:M allocatable:2:M phase:3:s conditions:4:@NodeCondition addresses:5:@NodeAddress daemonEndpoints:6:NodeDaemonEndpoints nodeInfo:7:NodeSystemInfo images:8:@ContainerImage volumesInUse:9:@s volumesAttached:10:@AttachedVolume config:11:NodeConfigStatus runtimeHandlers:12:@NodeRuntimeHandler features:13:NodeFeatures declaredFeatures:14:@s
NodeSwapStatus capacity:1:i*
NodeSystemInfo machineID:1:s systemUUID:2:s bootID:3:s kernelVersion:4:s osImage:5:s containerRuntimeVersion:6:s kubeletVersion:7:s kubeProxyVersion:8:s operatingSystem:9:s architecture:10:s swap:11:NodeSwapStatus
ObjectFieldSelector apiVersion:1:s fieldPath:2:s
ObjectMetricSource describedObject:1:CrossVersionObjectReference target:2:MetricTarget metric:3:MetricIdentifier
ObjectReference kind:1:s namespace:2:s name:3:s uid:4:s apiVersion:5:s resourceVersion:6:s fieldPath:7:s
Overhead podFixed:1:M
ParamKind apiVersion:1:s kind:2:s
ParamRef name:1:s namespace:2:s selector:3:LabelSelector parameterNotFoundAction:4:s*
PersistentVolume metadata:1:$ObjectMeta spec:2:PersistentVolumeSpec status:3:PersistentVolumeStatus
PersistentVolumeClaim metadata:1:$ObjectMeta spec:2:PersistentVolumeClaimSpec
PersistentVolumeClaimSpec accessModes:1:@s selector:4:LabelSelector resources:2:VolumeResourceRequirements volumeName:3:s storageClassName:5:s* volumeMode:6:s* dataSource:7:TypedLocalObjectReference dataSourceRef:8:TypedObjectReference volumeAttributesClassName:9:s*
PersistentVolumeClaimTemplate metadata:1:$ObjectMeta spec:2:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName:1:s readOnly:2:b
PersistentVolumeSource gcePersistentDisk:1:GCEPersistentDiskVolumeSource awsElasticBlockStore:2:AWSElasticBlockStoreVolumeSource hostPath:3:HostPathVolumeSource glusterfs:4:GlusterfsPersistentVolumeSource nfs:5:NFSVolumeSource rbd:6:RBDPersistentVolumeSource iscsi:7:ISCSIPersistentVolumeSource cinder:8:CinderPersistentVolumeSource cephfs:9:CephFSPersistentVolumeSource fc:10:FCVolumeSource flocker:11:FlockerVolumeSource flexVolume:12:FlexPersistentVolumeSource azureFile:13:AzureFilePersistentVolumeSource vsphereVolume:14:VsphereVirtualDiskVolumeSource quobyte:15:QuobyteVolumeSource azureDisk:16:AzureDiskVolumeSource photonPersistentDisk:17:PhotonPersistentDiskVolumeSource portworxVolume:18:PortworxVolumeSource scaleIO:19:ScaleIOPersistentVolumeSource local:20:LocalVolumeSource storageos:21:StorageOSPersistentVolumeSource csi:22:CSIPersistentVolumeSource
PersistentVolumeSpec capacity:1:M :2:^PersistentVolumeSource accessModes:3:@s claimRef:4:ObjectReference persistentVolumeReclaimPolicy:5:s storageClassName:6:s mountOptions:7:@s volumeMode:8:s* nodeAffinity:9:VolumeNodeAffinity volumeAttributesClassName:10:s*
PersistentVolumeStatus phase:1:s message:2:s reason:3:s lastPhaseTransitionTime:4:t
PhotonPersistentDiskVolumeSource pdID:1:s fsType:2:s
Pod metadata:1:$ObjectMeta spec:2:PodSpec
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:1:@PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution:2:@WeightedPodAffinityTerm
PodAffinityTerm labelSelector:1:LabelSelector namespaces:2:@s topologyKey:3:s namespaceSelector:4:LabelSelector matchLabelKeys:5:@s mismatchLabelKeys:6:@s
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:1:@PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution:2:@WeightedPodAffinityTerm
PodCertificateProjection signerName:1:s keyType:2:s maxExpirationSeconds:3:i* credentialBundlePath:4:s keyPath:5:s certificateChainPath:6:s userAnnotations:7:m
PodDNSConfig nameservers:1:@s searches:2:@s options:3:@PodDNSConfigOption
PodDNSConfigOption name:1:s value:2:s*
PodDisruptionBudget metadata:1:$ObjectMeta spec:2:PodDisruptionBudgetSpec
PodDisruptionBudgetSpec minAvailable:1:n selector:2:LabelSelector maxUnavailable:3:n unhealthyPodEvictionPolicy:4:s*
PodFailurePolicy rules:1:@PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement containerName:1:s* operator:2:s values:3:@i
PodFailurePolicyOnPodConditionsPattern type:1:s status:2:s
PodFailurePolicyRule action:1:s onExitCodes:2:PodFailurePolicyOnExitCodesRequirement onPodConditions:3:@PodFailurePolicyOnPodConditionsPattern
PodOS name:1:s
PodReadinessGate conditionType:1:s
PodResourceClaim name:1:s resourceClaimName:3:s* resourceClaimTemplateName:4:s*
PodSchedulingGate name:1:s
PodSecurityContext seLinuxOptions:1:SELinuxOptions windowsOptions:8:WindowsSecurityContextOptions runAsUser:2:i* runAsGroup:6:i* runAsNonRoot:3:b* supplementalGroups:4:@i supplementalGroupsPolicy:12:s* fsGroup:5:i* sysctls:7:@Sysctl fsGroupChangePolicy:9:s* seccompProfile:10:SeccompProfile appArmorProfile:11:AppArmorProfile seLinuxChangePolicy:13:s*
PodSpec volumes:1:@Volume initContainers:20:@Container containers:2:@Container ephemeralContainers:34:@EphemeralContainer restartPolicy:3:s terminationGracePeriodSeconds:4:i* activeDeadlineSeconds:5:i* dnsPolicy:6:s nodeSelector:7:m serviceAccountName:8:s serviceAccount:9:s automountServiceAccountToken:21:b* nodeName:10:s hostNetwork:11:b hostPID:12:b hostIPC:13:b shareProcessNamespace:27:b* securityContext:14:PodSecurityContext imagePullSecrets:15:@LocalObjectReference hostname:16:s subdomain:17:s affinity:18:Affinity schedulerName:19:s tolerations:22:@Toleration hostAliases:23:@HostAlias priorityClassName:24:s priority:25:i* dnsConfig:26:PodDNSConfig readinessGates:28:@PodReadinessGate runtimeClassName:29:s* enableServiceLinks:30:b* preemptionPolicy:31:s* overhead:32:M topologySpreadConstraints:33:@TopologySpreadConstraint setHostnameAsFQDN:35:b* os:36:PodOS hostUsers:37:b* schedulingGates:38:@PodSchedulingGate resourceClaims:39:@PodResourceClaim resources:40:ResourceRequirements hostnameOverride:41:s* workloadRef:42:WorkloadReference
PodTemplate metadata:1:$ObjectMeta template:2:PodTemplateSpec
PodTemplateSpec metadata:1:$ObjectMeta spec:2:PodSpec
PodsMetricSource metric:1:MetricIdentifier target:2:MetricTarget
PolicyRule verbs:1:@s apiGroups:2:@s resources:3:@s resourceNames:4:@s nonResourceURLs:5:@s
PortworxVolumeSource volumeID:1:s fsType:2:s readOnly:3:b
PreferredSchedulingTerm weight:1:i preference:2:NodeSelectorTerm
PriorityClass metadata:1:$ObjectMeta value:2:i globalDefault:3:b description:4:s preemptionPolicy:5:s*
Probe :1:^ProbeHandler initialDelaySeconds:2:i timeoutSeconds:3:i periodSeconds:4:i successThreshold:5:i failureThreshold:6:i terminationGracePeriodSeconds:7:i*
ProbeHandler exec:1:ExecAction httpGet:2:HTTPGetAction tcpSocket:3:TCPSocketAction grpc:4:GRPCAction
ProjectedVolumeSource sources:1:@VolumeProjection defaultMode:2:i*
QuobyteVolumeSource registry:1:s volume:2:s readOnly:3:b user:4:s group:5:s tenant:6:s
RBDPersistentVolumeSource monitors:1:@s image:2:s fsType:3:s pool:4:s user:5:s keyring:6:s secretRef:7:SecretReference readOnly:8:b
RBDVolumeSource monitors:1:@s image:2:s fsType:3:s pool:4:s user:5:s keyring:6:s secretRef:7:LocalObjectReference readOnly:8:b
ReplicaSet metadata:1:$ObjectMeta spec:2:ReplicaSetSpec
ReplicaSetSpec replicas:1:i* minReadySeconds:4:i selector:2:LabelSelector template:3:PodTemplateSpec
ReplicationController metadata:1:$ObjectMeta spec:2:ReplicationControllerSpec status:3:ReplicationControllerStatus
ReplicationControllerCondition type:1:s status:2:s lastTransitionTime:3:t reason:4:s message:5:s
ReplicationControllerSpec replicas:1:i* minReadySeconds:4:i selector:2:m template:3:PodTemplateSpec
ReplicationControllerStatus replicas:1:i fullyLabeledReplicas:2:i readyReplicas:4:i availableReplicas:5:i observedGeneration:3:i conditions:6:@ReplicationControllerCondition
ResourceClaim name:1:s request:2:s
ResourceFieldSelector containerName:1:s resource:2:s divisor:3:q
ResourceMetricSource name:1:s target:2:MetricTarget
ResourceQuota metadata:1:$ObjectMeta spec:2:ResourceQuotaSpec
ResourceQuotaSpec hard:1:M scopes:2:@s scopeSelector:3:ScopeSelector
ResourceRequirements limits:1:M requests:2:M claims:3:@ResourceClaim
Role metadata:1:$ObjectMeta rules:2:@PolicyRule
RoleBinding metadata:1:$ObjectMeta subjects:2:@Subject roleRef:3:RoleRef
RoleRef apiGroup:1:s kind:2:s name:3:s
RollingUpdateDaemonSet maxUnavailable:1:n maxSurge:2:n
RollingUpdateDeployment maxUnavailable:1:n maxSurge:2:n
RollingUpdateStatefulSetStrategy partition:1:i* maxUnavailable:2:n
Rule apiGroups:1:@s apiVersions:2:@s resources:3:@s scope:4:s*
RuleWithOperations operations:1:@s :2:^Rule
RuntimeClass metadata:1:$ObjectMeta handler:2:s overhead:3:Overhead scheduling:4:Scheduling
SELinuxOptions user:1:s role:2:s type:3:s level:4:s
ScaleIOPersistentVolumeSource gateway:1:s system:2:s secretRef:3:SecretReference sslEnabled:4:b protectionDomain:5:s storagePool:6:s storageMode:7:s volumeName:8:s fsType:9:s readOnly:10:b
ScaleIOVolumeSource gateway:1:s system:2:s secretRef:3:LocalObjectReference sslEnabled:4:b protectionDomain:5:s storagePool:6:s storageMode:7:s volumeName:8:s fsType:9:s readOnly:10:b
Scheduling nodeSelector:1:m tolerations:2:@Toleration
ScopeSelector matchExpressions:1:@ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement scopeName:1:s operator:2:s values:3:@s
SeccompProfile type:1:s localhostProfile:2:s*
SecretEnvSource :1:^LocalObjectReference optional:2:b*
SecretKeySelector :1:^LocalObjectReference key:2:s optional:3:b*
SecretProjection :1:^LocalObjectReference items:2:@KeyToPath optional:4:b*
SecretReference name:1:s namespace:2:s
SecretVolumeSource secretName:1:s items:2:@KeyToPath defaultMode:3:i* optional:4:b*
SecurityContext capabilities:1:Capabilities privileged:2:b* seLinuxOptions:3:SELinuxOptions windowsOptions:10:WindowsSecurityContextOptions runAsUser:4:i* runAsGroup:8:i* runAsNonRoot:5:b* readOnlyRootFilesystem:6:b* allowPrivilegeEscalation:7:b* procMount:9:s* seccompProfile:11:SeccompProfile appArmorProfile:12:AppArmorProfile
Service metadata:1:$ObjectMeta spec:2:ServiceSpec
ServiceAccount metadata:1:$ObjectMeta secrets:2:@ObjectReference imagePullSecrets:3:@LocalObjectReference automountServiceAccountToken:4:b*
ServiceAccountTokenProjection audience:1:s expirationSeconds:2:i* path:3:s
ServiceBackendPort name:1:s number:2:i
ServicePort name:1:s protocol:2:s appProtocol:6:s* port:3:i targetPort:4:n nodePort:5:i
ServiceReference namespace:1:s name:2:s path:3:s* port:4:i*
ServiceSpec ports:1:@ServicePort selector:2:m clusterIP:3:s clusterIPs:18:@s type:4:s externalIPs:5:@s sessionAffinity:7:s loadBalancerIP:8:s loadBalancerSourceRanges:9:@s externalName:10:s externalTrafficPolicy:11:s healthCheckNodePort:12:i publishNotReadyAddresses:13:b sessionAffinityConfig:14:SessionAffinityConfig ipFamilies:19:@s ipFamilyPolicy:17:s* allocateLoadBalancerNodePorts:20:b* loadBalancerClass:21:s* internalTrafficPolicy:22:s* trafficDistribution:23:s*
SessionAffinityConfig clientIP:1:ClientIPConfig
SleepAction seconds:1:i
StatefulSet metadata:1:$ObjectMeta spec:2:StatefulSetSpec
StatefulSetOrdinals start:1:i
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:1:s whenScaled:2:s
StatefulSetSpec replicas:1:i* selector:2:LabelSelector template:3:PodTemplateSpec volumeClaimTemplates:4:@PersistentVolumeClaim serviceName:5:s podManagementPolicy:6:s updateStrategy:7:StatefulSetUpdateStrategy revisionHistoryLimit:8:i* minReadySeconds:9:i persistentVolumeClaimRetentionPolicy:10:StatefulSetPersistentVolumeClaimRetentionPolicy ordinals:11:StatefulSetOrdinals
StatefulSetUpdateStrategy type:1:s rollingUpdate:2:RollingUpdateStatefulSetStrategy
StorageClass metadata:1:$ObjectMeta provisioner:2:s parameters:3:m reclaimPolicy:4:s* mountOptions:5:@s allowVolumeExpansion:6:b* volumeBindingMode:7:s* allowedTopologies:8:@TopologySelectorTerm
StorageOSPersistentVolumeSource volumeName:1:s volumeNamespace:2:s fsType:3:s readOnly:4:b secretRef:5:ObjectReference
StorageOSVolumeSource volumeName:1:s volumeNamespace:2:s fsType:3:s readOnly:4:b secretRef:5:LocalObjectReference
Subject kind:1:s apiGroup:2:s name:3:s namespace:4:s
SuccessPolicy rules:1:@SuccessPolicyRule
SuccessPolicyRule succeededIndexes:1:s* succeededCount:2:i*
Sysctl name:1:s value:2:s
TCPSocketAction port:1:n host:2:s
Taint key:1:s value:2:s effect:3:s timeAdded:4:t
TokenRequest audience:1:s expirationSeconds:2:i*
Toleration key:1:s operator:2:s value:3:s effect:4:s tolerationSeconds:5:i*
TopologySelectorLabelRequirement key:1:s values:2:@s
TopologySelectorTerm matchLabelExpressions:1:@TopologySelectorLabelRequirement
TopologySpreadConstraint maxSkew:1:i topologyKey:2:s whenUnsatisfiable:3:s labelSelector:4:LabelSelector minDomains:5:i* nodeAffinityPolicy:6:s* nodeTaintsPolicy:7:s* matchLabelKeys:8:@s
TypeChecking expressionWarnings:1:@ExpressionWarning
TypedLocalObjectReference apiGroup:1:s* kind:2:s name:3:s
TypedObjectReference apiGroup:1:s* kind:2:s name:3:s namespace:4:s*
ValidatingAdmissionPolicy metadata:1:$ObjectMeta spec:2:ValidatingAdmissionPolicySpec status:3:ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding metadata:1:$ObjectMeta spec:2:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingSpec policyName:1:s paramRef:2:ParamRef matchResources:3:MatchResources validationActions:4:@s
ValidatingAdmissionPolicySpec paramKind:1:ParamKind matchConstraints:2:MatchResources validations:3:@Validation failurePolicy:4:s* auditAnnotations:5:@AuditAnnotation matchConditions:6:@MatchCondition variables:7:@Variable
ValidatingAdmissionPolicyStatus observedGeneration:1:i typeChecking:2:TypeChecking conditions:3:@Condition
ValidatingWebhook name:1:s clientConfig:2:WebhookClientConfig rules:3:@RuleWithOperations failurePolicy:4:s* matchPolicy:9:s* namespaceSelector:5:LabelSelector objectSelector:10:LabelSelector sideEffects:6:s* timeoutSeconds:7:i* admissionReviewVersions:8:@s matchConditions:11:@MatchCondition
ValidatingWebhookConfiguration metadata:1:$ObjectMeta webhooks:2:@ValidatingWebhook
Validation expression:1:s message:2:s reason:3:s* messageExpression:4:s
Variable name:1:s expression:2:s
Volume name:1:s :2:^VolumeSource
VolumeAttachment metadata:1:$ObjectMeta spec:2:VolumeAttachmentSpec status:3:VolumeAttachmentStatus
VolumeAttachmentSource persistentVolumeName:1:s* inlineVolumeSpec:2:PersistentVolumeSpec
VolumeAttachmentSpec attacher:1:s source:2:VolumeAttachmentSource nodeName:3:s
VolumeAttachmentStatus attached:1:b attachmentMetadata:2:m attachError:3:VolumeError detachError:4:VolumeError
VolumeDevice name:1:s devicePath:2:s
VolumeError time:1:t message:2:s errorCode:3:i*
VolumeMount name:1:s readOnly:2:b recursiveReadOnly:7:s* mountPath:3:s subPath:4:s mountPropagation:5:s* subPathExpr:6:s
VolumeNodeAffinity required:1:NodeSelector
VolumeNodeResources count:1:i*
VolumeProjection secret:1:SecretProjection downwardAPI:2:DownwardAPIProjection configMap:3:ConfigMapProjection serviceAccountToken:4:ServiceAccountTokenProjection clusterTrustBundle:5:ClusterTrustBundleProjection podCertificate:6:PodCertificateProjection
VolumeResourceRequirements limits:1:M requests:2:M
VolumeSource hostPath:1:HostPathVolumeSource emptyDir:2:EmptyDirVolumeSource gcePersistentDisk:3:GCEPersistentDiskVolumeSource awsElasticBlockStore:4:AWSElasticBlockStoreVolumeSource gitRepo:5:GitRepoVolumeSource secret:6:SecretVolumeSource nfs:7:NFSVolumeSource iscsi:8:ISCSIVolumeSource glusterfs:9:GlusterfsVolumeSource persistentVolumeClaim:10:PersistentVolumeClaimVolumeSource rbd:11:RBDVolumeSource flexVolume:12:FlexVolumeSource cinder:13:CinderVolumeSource cephfs:14:CephFSVolumeSource flocker:15:FlockerVolumeSource downwardAPI:16:DownwardAPIVolumeSource fc:17:FCVolumeSource azureFile:18:AzureFileVolumeSource configMap:19:ConfigMapVolumeSource vsphereVolume:20:VsphereVirtualDiskVolumeSource quobyte:21:QuobyteVolumeSource azureDisk:22:AzureDiskVolumeSource photonPersistentDisk:23:PhotonPersistentDiskVolumeSource projected:26:ProjectedVolumeSource portworxVolume:24:PortworxVolumeSource scaleIO:25:ScaleIOVolumeSource storageos:27:StorageOSVolumeSource csi:28:CSIVolumeSource ephemeral:29:EphemeralVolumeSource image:30:ImageVolumeSource
VsphereVirtualDiskVolumeSource volumePath:1:s fsType:2:s storagePolicyName:3:s storagePolicyID:4:s
WebhookClientConfig url:3:s* service:1:ServiceReference caBundle:2:y
WeightedPodAffinityTerm weight:1:i podAffinityTerm:2:PodAffinityTerm
WindowsSecurityContextOptions gmsaCredentialSpecName:1:s* gmsaCredentialSpec:2:s* runAsUserName:3:s* hostProcess:4:b*
WorkloadReference name:1:s podGroup:2:s podGroupReplicaKey:3:s
`;

/** The kinds among the messages. */
export const messageKinds = [
  'v1/Node',
  'v1/Endpoints',
  'v1/PersistentVolume',
  'v1/PodTemplate',
  'v1/ReplicationController',
  'v1/Pod',
  'v1/Service',
  'v1/ServiceAccount',
  'v1/ResourceQuota',
  'v1/LimitRange',
  'v1/PersistentVolumeClaim',
  'apps/v1/Deployment',
  'apps/v1/DaemonSet',
  'apps/v1/StatefulSet',
  'apps/v1/ReplicaSet',
  'apps/v1/ControllerRevision',
  'batch/v1/Job',
  'batch/v1/CronJob',
  'policy/v1/PodDisruptionBudget',
  'policy/v1/Eviction',
  'rbac.authorization.k8s.io/v1/Role',
  'rbac.authorization.k8s.io/v1/RoleBinding',
  'rbac.authorization.k8s.io/v1/ClusterRole',
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding',
  'scheduling.k8s.io/v1/PriorityClass',
  'networking.k8s.io/v1/Ingress',
  'networking.k8s.io/v1/NetworkPolicy',
  'networking.k8s.io/v1/IngressClass',
  'storage.k8s.io/v1/StorageClass',
  'storage.k8s.io/v1/CSIDriver',
  'storage.k8s.io/v1/CSINode',
  'storage.k8s.io/v1/CSIStorageCapacity',
  'storage.k8s.io/v1/VolumeAttachment',
  'discovery.k8s.io/v1/EndpointSlice',
  'node.k8s.io/v1/RuntimeClass',
  'certificates.k8s.io/v1/CertificateSigningRequest',
  'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding',
  'autoscaling/v2/HorizontalPodAutoscaler',
];
