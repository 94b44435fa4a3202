/** Text below apiVersion and kind, the errors, the warnings. */
export const RULES: Readonly<Record<string, readonly [string, readonly string[], readonly string[]]>> = {
  'image thresholds': [
    'imageGCHighThresholdPercent: 101\nimageGCLowThresholdPercent: -1',
    [
      'f:3:1: imageGCHighThresholdPercent: 101 is out of range; give a number from 0 to 100',
      'f:4:1: imageGCLowThresholdPercent: -1 is out of range; give a number from 0 to 100',
    ],
    [],
  ],
  'image thresholds in the wrong order': [
    'imageGCHighThresholdPercent: 50\nimageGCLowThresholdPercent: 50',
    [
      'f:4:1: imageGCLowThresholdPercent: 50 must be below imageGCHighThresholdPercent, which is 50; lower this or raise that',
    ],
    [],
  ],
  'a low image threshold above the default of the high one': [
    'imageGCLowThresholdPercent: 85',
    [
      'f:3:1: imageGCLowThresholdPercent: 85 must be below imageGCHighThresholdPercent, which is 85; lower this or raise that',
    ],
    [],
  ],
  'a high image threshold below the default of the low one': [
    'imageGCHighThresholdPercent: 80',
    [
      'f:3:1: imageGCLowThresholdPercent: 80 must be below imageGCHighThresholdPercent, which is 80; lower this or raise that',
    ],
    [],
  ],
  'image thresholds at their ends': [
    'imageGCHighThresholdPercent: 100\nimageGCLowThresholdPercent: 0',
    [],
    [],
  ],
  'image ages': [
    'imageMaximumGCAge: 2m',
    ['f:3:1: imageMaximumGCAge: must be longer than imageMinimumGCAge; raise it, or write 0s for no limit'],
    [],
  ],
  'an image age above the default of the lowest': ['imageMaximumGCAge: 121s\nimageMinimumGCAge: 0s', [], []],
  'a negative image age': [
    'imageMaximumGCAge: -1s',
    ['f:3:1: imageMaximumGCAge: must be longer than imageMinimumGCAge; raise it, or write 0s for no limit'],
    [],
  ],
  'numbers below their ranges': [
    'eventBurst: -1\neventRecordQPS: -1\nhealthzPort: -1\niptablesDropBit: -1\niptablesMasqueradeBit: -1\nkubeAPIBurst: -1\nkubeAPIQPS: -1\nmaxOpenFiles: -1\nmaxParallelImagePulls: 0\nmaxPods: -1\nnodeLeaseDurationSeconds: -1\noomScoreAdj: -1001\npodsPerCore: -1\nport: -1\nreadOnlyPort: -1\nregistryBurst: -1\nregistryPullQPS: -1',
    [
      'f:3:1: eventBurst: -1 is out of range; give a number of 0 or more',
      'f:4:1: eventRecordQPS: -1 is out of range; give a number of 0 or more',
      'f:5:1: healthzPort: -1 is out of range; give a number from 0 to 65535',
      'f:6:1: iptablesDropBit: -1 is out of range; give a number from 0 to 31',
      'f:7:1: iptablesMasqueradeBit: -1 is out of range; give a number from 0 to 31',
      'f:8:1: kubeAPIBurst: -1 is out of range; give a number of 0 or more',
      'f:9:1: kubeAPIQPS: -1 is out of range; give a number of 0 or more',
      'f:10:1: maxOpenFiles: -1 is out of range; give a number of 0 or more',
      'f:11:1: maxParallelImagePulls: 0 is out of range; give a number of 1 or more',
      'f:12:1: maxPods: -1 is out of range; give a number of 0 or more',
      'f:13:1: nodeLeaseDurationSeconds: -1 is out of range; give a number of 1 or more',
      'f:14:1: oomScoreAdj: -1001 is out of range; give a number from -1000 to 1000',
      'f:15:1: podsPerCore: -1 is out of range; give a number of 0 or more',
      'f:16:1: port: -1 is out of range; give a number from 0 to 65535',
      'f:17:1: readOnlyPort: -1 is out of range; give a number from 0 to 65535',
      'f:18:1: registryBurst: -1 is out of range; give a number of 0 or more',
      'f:19:1: registryPullQPS: -1 is out of range; give a number of 0 or more',
    ],
    [],
  ],
  'numbers above their ranges': [
    'healthzPort: 65536\niptablesDropBit: 32\niptablesMasqueradeBit: 32\noomScoreAdj: 1001\nport: 65536\nreadOnlyPort: 65536',
    [
      'f:3:1: healthzPort: 65536 is out of range; give a number from 0 to 65535',
      'f:4:1: iptablesDropBit: 32 is out of range; give a number from 0 to 31',
      'f:5:1: iptablesMasqueradeBit: 32 is out of range; give a number from 0 to 31',
      'f:6:1: oomScoreAdj: 1001 is out of range; give a number from -1000 to 1000',
      'f:7:1: port: 65536 is out of range; give a number from 0 to 65535',
      'f:8:1: readOnlyPort: 65536 is out of range; give a number from 0 to 65535',
    ],
    [],
  ],
  'numbers at the ends of their ranges': [
    'eventBurst: 0\neventRecordQPS: 0\nhealthzPort: 65535\niptablesDropBit: 31\niptablesMasqueradeBit: 0\nkubeAPIBurst: 0\nkubeAPIQPS: 0\nmaxOpenFiles: 0\nmaxParallelImagePulls: 1\nmaxPods: 0\nnodeLeaseDurationSeconds: 0\noomScoreAdj: -1000\npodsPerCore: 0\nport: 65535\nreadOnlyPort: 0\nregistryBurst: 0\nregistryPullQPS: 0',
    [],
    [],
  ],
  'parallel pulls with serial ones': [
    'maxParallelImagePulls: 2\nserializeImagePulls: true',
    ['f:3:1: maxParallelImagePulls: cannot be above 1 while serializeImagePulls is true; set that to false'],
    [],
  ],
  'parallel pulls': ['maxParallelImagePulls: 2', [], []],
  'one pull at a time': ['maxParallelImagePulls: 1\nserializeImagePulls: true', [], []],
  'a critical shutdown longer than the whole': [
    'shutdownGracePeriod: 10s\nshutdownGracePeriodCriticalPods: 11s',
    [
      'f:4:1: shutdownGracePeriodCriticalPods: must not be longer than shutdownGracePeriod; lower this or raise that',
    ],
    [],
  ],
  'shutdowns too short': [
    'shutdownGracePeriod: 999ms\nshutdownGracePeriodCriticalPods: 500ms',
    [
      'f:3:1: shutdownGracePeriod: must be 0s, or 1s or more; correct it',
      'f:4:1: shutdownGracePeriodCriticalPods: must be 0s, or 1s or more; correct it',
    ],
    [],
  ],
  'a negative shutdown': [
    'shutdownGracePeriod: -2s\nshutdownGracePeriodCriticalPods: -2s',
    [
      'f:3:1: shutdownGracePeriod: must be 0s, or 1s or more; correct it',
      'f:4:1: shutdownGracePeriodCriticalPods: must be 0s, or 1s or more; correct it',
    ],
    [],
  ],
  'shutdowns at their ends': ['shutdownGracePeriod: 1s\nshutdownGracePeriodCriticalPods: 1s', [], []],
  'a quota period too short': [
    'cpuCFSQuotaPeriod: 999us',
    ['f:3:1: cpuCFSQuotaPeriod: must be from 1ms to 1s; correct it'],
    [],
  ],
  'a quota period too long': [
    'cpuCFSQuotaPeriod: 1001ms',
    ['f:3:1: cpuCFSQuotaPeriod: must be from 1ms to 1s; correct it'],
    [],
  ],
  'quota period at its end': ['cpuCFSQuotaPeriod: 1s', [], []],
  'quota period at its other end': ['cpuCFSQuotaPeriod: 1ms', [], []],
  'a factor of 0': [
    'memoryThrottlingFactor: 0',
    ['f:3:1: memoryThrottlingFactor: 0 must be above 0 and at most 1; for no throttling remove it'],
    [],
  ],
  'a factor above 1': [
    'memoryThrottlingFactor: 1.01',
    ['f:3:1: memoryThrottlingFactor: 1.01 must be above 0 and at most 1; for no throttling remove it'],
    [],
  ],
  'a negative factor': [
    'memoryThrottlingFactor: -0.5',
    ['f:3:1: memoryThrottlingFactor: -0.5 must be above 0 and at most 1; for no throttling remove it'],
    [],
  ],
  'a factor of 1': ['memoryThrottlingFactor: 1.0', [], []],
  'unknown choices': [
    'cgroupDriver: cgroup\nconfigMapAndSecretChangeDetectionStrategy: Poll\nhairpinMode: x\nmemoryReservationPolicy: HardReservation\ntopologyManagerPolicy: x\ntopologyManagerScope: x',
    [
      'f:3:1: cgroupDriver: "cgroup" is not known here; write cgroupfs or systemd',
      'f:4:1: configMapAndSecretChangeDetectionStrategy: "Poll" is not known here; write Get or Cache or Watch',
      'f:5:1: hairpinMode: "x" is not known here; write none or hairpin-veth or promiscuous-bridge',
      'f:6:1: memoryReservationPolicy: "HardReservation" is not known here; write None or TieredReservation',
      'f:7:1: topologyManagerPolicy: "x" is not known here; write none or best-effort or restricted or single-numa-node',
      'f:8:1: topologyManagerScope: "x" is not known here; write container or pod',
    ],
    [],
  ],
  'empty choices': [
    'cgroupDriver: ""\nmemoryReservationPolicy: ""\nhairpinMode: ""\ntopologyManagerScope: ""',
    [],
    [],
  ],
  'known choices': [
    'cgroupDriver: cgroupfs\nconfigMapAndSecretChangeDetectionStrategy: Get\nhairpinMode: none\nmemoryReservationPolicy: TieredReservation\ntopologyManagerPolicy: best-effort\ntopologyManagerScope: pod',
    [],
    [],
  ],
  'systemCgroups without cgroupRoot': [
    'systemCgroups: /system',
    ['f:3:1: systemCgroups: needs cgroupRoot; set that too'],
    [],
  ],
  'systemCgroups with cgroupRoot': ['systemCgroups: /system\ncgroupRoot: /', [], []],
  'an unknown enforced key': [
    'enforceNodeAllocatable: [pods, system]',
    [
      'f:3:32: enforceNodeAllocatable[1]: "system" is not known here; write pods, system-reserved, system-reserved-compressible, kube-reserved, kube-reserved-compressible, none',
    ],
    [],
  ],
  'an enforced key twice': [
    'enforceNodeAllocatable: [pods, pods]',
    ['f:3:32: enforceNodeAllocatable[1]: pods is there twice; remove one'],
    [],
  ],
  'none with others': [
    'enforceNodeAllocatable: [none, pods]',
    ['f:3:26: enforceNodeAllocatable[0]: none must stand alone; remove it or the others'],
    [],
  ],
  'none alone': ['enforceNodeAllocatable: [none]\ncgroupsPerQOS: false', [], []],
  'no enforced key': ['enforceNodeAllocatable: []\ncgroupsPerQOS: false', [], []],
  'enforcing without cgroupsPerQOS': [
    'cgroupsPerQOS: false',
    ['f:3:1: enforceNodeAllocatable[0]: needs cgroupsPerQOS: true; set that, or write ["none"] here'],
    [],
  ],
  'reserved keys without their cgroups': [
    'enforceNodeAllocatable: [pods, system-reserved, kube-reserved-compressible]',
    [
      'f:3:32: enforceNodeAllocatable[1]: system-reserved needs systemReservedCgroup; name the cgroup there or remove system-reserved',
      'f:3:49: enforceNodeAllocatable[2]: kube-reserved-compressible needs kubeReservedCgroup; name the cgroup there or remove kube-reserved-compressible',
    ],
    [],
  ],
  'reserved keys with the cgroups of the others': [
    'enforceNodeAllocatable: [system-reserved-compressible, kube-reserved]\nkubeReservedCgroup: ""',
    [
      'f:3:26: enforceNodeAllocatable[0]: system-reserved-compressible needs systemReservedCgroup; name the cgroup there or remove system-reserved-compressible',
      'f:3:56: enforceNodeAllocatable[1]: kube-reserved needs kubeReservedCgroup; name the cgroup there or remove kube-reserved',
    ],
    [],
  ],
  'reserved keys with their twins': [
    'enforceNodeAllocatable: [system-reserved, system-reserved-compressible]\nsystemReservedCgroup: /s',
    [
      'f:3:26: enforceNodeAllocatable[0]: system-reserved and system-reserved-compressible exclude each other; remove one',
    ],
    [],
  ],
  'reserved keys with their cgroups': [
    'enforceNodeAllocatable: [pods, system-reserved, kube-reserved]\nsystemReservedCgroup: /s\nkubeReservedCgroup: /k',
    [],
    [],
  ],
  'reserved CPUs with reserved cgroups': [
    'reservedSystemCPUs: 0-1\nsystemReservedCgroup: /s\nkubeReservedCgroup: /k',
    [
      'f:3:1: reservedSystemCPUs: excludes kubeReservedCgroup; remove one of the two',
      'f:3:1: reservedSystemCPUs: excludes systemReservedCgroup; remove one of the two',
    ],
    [],
  ],
  'reserved CPUs alone': ['reservedSystemCPUs: 0-1\nkubeReservedCgroup: ""', [], []],
  'gate off with TieredReservation': [
    'featureGates: {MemoryQoS: false}\nmemoryReservationPolicy: TieredReservation',
    [
      'f:4:1: memoryReservationPolicy: TieredReservation needs the feature gate MemoryQoS, which is stated false; turn it on or write None',
    ],
    [],
  ],
  'gate off with a factor': [
    'featureGates: {MemoryQoS: false}\nmemoryThrottlingFactor: 0.8',
    [
      'f:4:1: memoryThrottlingFactor: a factor other than 0.9 needs the feature gate MemoryQoS, which is stated false; turn it on or remove the factor',
    ],
    [],
  ],
  'gate null, which is off, with both': [
    'featureGates: {MemoryQoS: null}\nmemoryReservationPolicy: TieredReservation\nmemoryThrottlingFactor: 0.8',
    [
      'f:4:1: memoryReservationPolicy: TieredReservation needs the feature gate MemoryQoS, which is stated false; turn it on or write None',
      'f:5:1: memoryThrottlingFactor: a factor other than 0.9 needs the feature gate MemoryQoS, which is stated false; turn it on or remove the factor',
    ],
    [],
  ],
  'gate off with the former default': [
    'featureGates: {MemoryQoS: false}\nmemoryThrottlingFactor: 0.9\nmemoryReservationPolicy: None',
    [],
    [],
  ],
  'gate on with both': [
    'featureGates: {MemoryQoS: true}\nmemoryThrottlingFactor: 0.8\nmemoryReservationPolicy: TieredReservation',
    [],
    [],
  ],
  'unknown gates': [
    'featureGates: {MemoryQoS: true, SizeMemoryBackedVolumes: true, AllAlpha: false}',
    [],
    [
      'f:3:33: featureGates.SizeMemoryBackedVolumes: unknown feature gate, with which a kubelet of 1.36 or later does not start; remove it',
    ],
  ],
  'a negative grace of soft evictions': [
    'evictionMaxPodGracePeriod: -1',
    [],
    [
      "f:3:1: evictionMaxPodGracePeriod: a negative number is read as the pod's own grace period, though a kubelet may kill at once; write 0 or more",
    ],
  ],
  'a grace of soft evictions of 0': ['evictionMaxPodGracePeriod: 0', [], []],
  'what cannot be reserved': [
    'kubeReserved: {hugepages-2Mi: 1Gi, cpu: -100m, memory: 5%, pid: null, ephemeral-storage: 0}\nsystemReserved: {storage: 1Gi, memory: "-1"}',
    [
      'f:3:16: kubeReserved.hugepages-2Mi: cannot reserve "hugepages-2Mi"; what can be reserved is cpu, memory, ephemeral-storage, pid',
      'f:3:36: kubeReserved.cpu: -100m is negative; reserve 0 or more',
      'f:3:48: kubeReserved.memory: "5%" is not a quantity: "%" is not one of the units n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei',
      'f:3:60: kubeReserved.pid: "" is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9',
      'f:3:71: kubeReserved.ephemeral-storage: expected a string, got a number 0; put it in quotes: "0"',
      'f:4:18: systemReserved.storage: cannot reserve "storage"; what can be reserved is cpu, memory, ephemeral-storage, pid',
      'f:4:32: systemReserved.memory: -1 is negative; reserve 0 or more',
    ],
    [],
  ],
  'what can be reserved': [
    'kubeReserved: {cpu: 100m, memory: 1.1Gi, pid: "1000", ephemeral-storage: "0"}',
    [],
    [],
  ],
  'a threshold that turns the others off': [
    'evictionHard: {memory.available: 500Mi}',
    [],
    [
      'f:3:1: evictionHard: without nodefs.available (10%), nodefs.inodesFree (5%), imagefs.available (15%), imagefs.inodesFree (5%): giving evictionHard turns off the defaults that it does not name; add them, or set mergeDefaultEvictionSettings: true in the main file',
    ],
  ],
  'no thresholds at all': [
    'evictionHard: {}',
    [],
    [
      'f:3:1: evictionHard: without memory.available (100Mi), nodefs.available (10%), nodefs.inodesFree (5%), imagefs.available (15%), imagefs.inodesFree (5%): giving evictionHard turns off the defaults that it does not name; add them, or set mergeDefaultEvictionSettings: true in the main file',
    ],
  ],
  'all default thresholds named': [
    'evictionHard: {memory.available: 500Mi, nodefs.available: 0%, nodefs.inodesFree: 1%, imagefs.available: 1%, imagefs.inodesFree: 1%}',
    [],
    [],
  ],
  'some default thresholds merged': [
    'evictionHard: {memory.available: 500Mi}\nmergeDefaultEvictionSettings: true',
    [],
    [],
  ],
  'soft thresholds at and above hard ones': [
    'evictionHard: {memory.available: 500Mi, nodefs.available: 10%, nodefs.inodesFree: 5%, imagefs.available: 15%, imagefs.inodesFree: 5%}\nevictionSoft: {memory.available: 500Mi, nodefs.available: 11%, imagefs.available: 14%, nodefs.inodesFree: "1000", imagefs.inodesFree: 5%}\nevictionSoftGracePeriod: {memory.available: 1m, nodefs.available: 1m, imagefs.available: 1m, nodefs.inodesFree: 1m, imagefs.inodesFree: 1m}',
    [],
    [
      'f:4:16: evictionSoft.memory.available: never acts, since the hard threshold is at least as high; raise this one or lower that one',
      'f:4:64: evictionSoft.imagefs.available: never acts, since the hard threshold is at least as high; raise this one or lower that one',
      'f:4:115: evictionSoft.imagefs.inodesFree: never acts, since the hard threshold is at least as high; raise this one or lower that one',
    ],
  ],
  'a hard amount and a soft percentage': [
    'evictionHard: {memory.available: 500Mi}\nmergeDefaultEvictionSettings: true\nevictionSoft: {memory.available: 1%}\nevictionSoftGracePeriod: {memory.available: 1m}',
    [],
    [],
  ],
  'a soft threshold without grace': [
    'evictionSoft:\n  nodefs.available: 10%\n  memory.available: 1Gi\nevictionSoftGracePeriod:\n  nodefs.available: 1m',
    [
      'f:5:3: evictionSoft.memory.available: a soft threshold needs a grace period; add memory.available to evictionSoftGracePeriod',
    ],
    [
      'f:4:3: evictionSoft.nodefs.available: never acts, since the hard threshold is at least as high; raise this one or lower that one',
    ],
  ],
  'a transition period of 0': [
    'evictionPressureTransitionPeriod: 0s',
    [],
    [
      'f:3:1: evictionPressureTransitionPeriod: 0s counts as not given, so it is 5m0s; for no delay set it in a drop-in or in nodeqos.yaml',
    ],
  ],
  'a transition period of nothing': [
    'evictionPressureTransitionPeriod: ""',
    [
      'f:3:1: evictionPressureTransitionPeriod: "" is not a duration; write a number with its unit, such as 30s or 1m30s',
    ],
    [],
  ],
  'several documents': [
    'maxPods: 5\n---\nkind: Other',
    [],
    ['f:4:1: holds several documents, of which only the first one counts; remove the others'],
  ],
  'a doubled key': [
    'address: a\naddress: b',
    [],
    ['f:4:1: address: is there twice, and the last one counts; remove one'],
  ],
  'faults of all kinds, by place': [
    'evictionHard: {memory.available: -1}\nzzz: 1\nmaxPods: x\nkubeReserved: {cpu: x}',
    [
      'f:3:16: evictionHard.memory.available: expected a string, got a number -1; put it in quotes: "-1"',
      'f:5:1: maxPods: expected a whole number, got a string "x"; write a whole number or remove the key',
      'f:6:16: kubeReserved.cpu: "x" is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9',
    ],
    [
      'f:3:1: evictionHard: without nodefs.available (10%), nodefs.inodesFree (5%), imagefs.available (15%), imagefs.inodesFree (5%): giving evictionHard turns off the defaults that it does not name; add them, or set mergeDefaultEvictionSettings: true in the main file',
      'f:4:1: zzz: unknown field, which the kubelet drops; KubeletConfiguration has no such key: remove it or move it to where it belongs',
    ],
  ],
};
