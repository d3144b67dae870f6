{{- define "labels" -}}
app.kubernetes.io/name: model-server
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pod.security" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "container.security" -}}
allowPrivilegeEscalation: false
capabilities: {drop: [ALL]}
{{- end }}
